"""The state of a cup: who meets whom next and who has won, derived from the draw and its finished matches.

Nothing is stored: the state is computed from the matches each time. Undoing a turn therefore undoes its
consequences. A pairing that was played by other teams than are due now does not count.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crowdgame.organizer.cups.pairing import CupFormat, Draw, Entrant, Pairing, WinnerOf
from voting.counting.series import current_series


@dataclass(frozen=True, slots=True)
class PairingOutcome:
    """Matches `won` by the first and the second team. `winner` is 1 or 2, None if undecided or drawn."""

    won: tuple[int, int] = (0, 0)
    over: bool = False
    winner: int | None = None
    walkover: bool = False


@dataclass(frozen=True, slots=True)
class PairingResult:
    """A pairing that was started or won by walkover: its seeds and its outcome."""

    red: int
    yellow: int
    outcome: PairingOutcome


@dataclass(frozen=True, slots=True)
class PairingStatus:
    """The state of a pairing. `red` and `yellow` are seeds, None while undecided.

    `held`: started between exactly these two. `superseded`: started between others.
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
        """Whether both teams are known and the pairing is not over."""
        return None not in self.teams and not self.outcome.over

    @property
    def winner(self) -> int | None:
        return self.teams[self.outcome.winner - 1] if self.outcome.winner else None


def decide_pairing(winners: Sequence[int | None], best_of: int, kind: CupFormat) -> PairingOutcome:
    """Return the outcome of a pairing.

    `winners` are those of its finished matches, oldest first: 1, 2 or None (draw). A team wins with more than
    half of `best_of` matches. A league's pairing also ends after `best_of` matches, and is drawn if both
    teams have won the same number. A bracket needs a winner, so it goes on. Matches after the end do not
    count.
    """
    won = (0, 0)
    for played in range(1, len(winners) + 1):
        series = current_series(winners[:played], best_of)
        won = series.won
        if series.winner:
            return PairingOutcome(won, over=True, winner=series.winner)
        if kind == CupFormat.LEAGUE and played == best_of:
            return PairingOutcome(won, over=True, winner=_leading_team(won))
    return PairingOutcome(won)


def _leading_team(won: tuple[int, int]) -> int | None:
    if won[0] == won[1]:
        return None
    return 1 if won[0] > won[1] else 2


def resolve_draw(draw: Draw, held: Mapping[int, PairingResult]) -> tuple[PairingStatus, ...]:
    """Return the state of every pairing of the draw. `held` is keyed by the pairing's number."""
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
    """Return the first pairing that was started and is not over, else the first that could be started."""
    due = [meeting for meeting in meetings if meeting.due]
    return next((meeting for meeting in due if meeting.held), due[0] if due else None)


def following_pairing(number: int, meetings: Sequence[PairingStatus]) -> PairingStatus | None:
    """Return the pairing that this one's winner plays next, if any."""
    for meeting in meetings:
        if WinnerOf(number) in {meeting.pairing.red, meeting.pairing.yellow}:
            return meeting
    return None


def rounds(meetings: Sequence[PairingStatus]) -> Iterator[tuple[int, tuple[PairingStatus, ...]]]:
    """Yield each round's number and its pairings, first round first."""
    for number in sorted({meeting.pairing.round for meeting in meetings}):
        yield number, tuple(meeting for meeting in meetings if meeting.pairing.round == number)
