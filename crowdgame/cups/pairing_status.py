"""How a cup stands: what was held of its draw tells who meets whom next, and who has won.

Nothing of it is kept: it follows from the matches each time anew. So a turn that is taken back takes back
what came of it, and a pairing that was held between others than are due by now counts for nobody.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crowdgame.cups.pairing import Draw, Entrant, Format, Pairing, WinnerOf
from voting.counting.series import current_series


@dataclass(frozen=True, slots=True)
class PairingOutcome:
    """Matches `won` by the first and the second team; `winner`, 1 or 2, is None in a draw too."""

    won: tuple[int, int] = (0, 0)
    over: bool = False
    winner: int | None = None
    walkover: bool = False


@dataclass(frozen=True, slots=True)
class PairingResult:
    """A pairing that was begun or given away: between whom, and what came of it."""

    red: int
    yellow: int
    outcome: PairingOutcome


@dataclass(frozen=True, slots=True)
class PairingStatus:
    """A pairing as it stands. `red` and `yellow` are seeds, None as long as they are open.

    `held`: something was held between just these two; `superseded`: it was between others.
    """

    pairing: Pairing
    red: int | None
    yellow: int | None
    outcome: PairingOutcome = PairingOutcome()
    held: bool = False
    superseded: bool = False

    @property
    def teams(self) -> tuple[int | None, int | None]:
        return self.red, self.yellow

    @property
    def due(self) -> bool:
        """Both teams are known, and it is not over."""
        return None not in self.teams and not self.outcome.over

    @property
    def winner(self) -> int | None:
        """A seed."""
        return self.teams[self.outcome.winner - 1] if self.outcome.winner else None


def decide_pairing(winners: Sequence[int | None], best_of: int, kind: Format) -> PairingOutcome:
    """Of a pairing whose finished matches these teams (1 or 2, None for a draw) have won, oldest first.

    Whoever wins more than half of `best_of` has won. In a league it is over after `best_of` matches in any
    case, drawn if both have won as many; a bracket needs a winner, so there it goes on. Matches after that
    count for nothing.
    """
    won = (0, 0)
    for played in range(1, len(winners) + 1):
        series = current_series(winners[:played], best_of)
        won = series.won
        if series.winner:
            return PairingOutcome(won, over=True, winner=series.winner)
        if kind == "league" and played == best_of:
            return PairingOutcome(won, over=True, winner=_leading_team(won))
    return PairingOutcome(won)


def _leading_team(won: tuple[int, int]) -> int | None:
    if won[0] == won[1]:
        return None
    return 1 if won[0] > won[1] else 2


def resolve_draw(draw: Draw, held: Mapping[int, PairingResult]) -> tuple[PairingStatus, ...]:
    """The draw's pairings, each as it stands; `held` by their numbers."""
    meetings: dict[int, PairingStatus] = {}
    for pairing in draw:
        red, yellow = (_resolve_entrant(seat, meetings) for seat in (pairing.red, pairing.yellow))
        kept = held.get(pairing.number)
        ours = kept is not None and (kept.red, kept.yellow) == (red, yellow)
        outcome = kept.outcome if kept and ours else PairingOutcome()
        superseded = kept is not None and not ours
        meetings[pairing.number] = PairingStatus(pairing, red, yellow, outcome, ours, superseded)
    return tuple(meetings.values())


def _resolve_entrant(seat: Entrant, meetings: Mapping[int, PairingStatus]) -> int | None:
    return meetings[seat.pairing].winner if isinstance(seat, WinnerOf) else seat


def next_pairing(meetings: Sequence[PairingStatus]) -> PairingStatus | None:
    """What is on now: the first that was begun and is not over, else the first that could be begun."""
    due = [meeting for meeting in meetings if meeting.due]
    return next((meeting for meeting in due if meeting.held), due[0] if due else None)


def following_pairing(number: int, meetings: Sequence[PairingStatus]) -> PairingStatus | None:
    """The pairing into which this one's winner goes, if there is one."""
    for meeting in meetings:
        if WinnerOf(number) in {meeting.pairing.red, meeting.pairing.yellow}:
            return meeting
    return None


def rounds(meetings: Sequence[PairingStatus]) -> Iterator[tuple[int, tuple[PairingStatus, ...]]]:
    for number in sorted({meeting.pairing.round for meeting in meetings}):
        yield number, tuple(meeting for meeting in meetings if meeting.pairing.round == number)
