"""Create a cup, start its pairings, give walkovers, and load a cup's progress.

Lock order: every change of a cup's pairings runs in `changing_cup`, which locks the cup's row before any
other.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import override

from crowdgame.events.event_edits import box_time
from crowdgame.events.event_texts import computer_name
from crowdgame.organizer.cups.league_table import champions
from crowdgame.organizer.cups.models import Cup, CupPairing, CupTeam
from crowdgame.organizer.cups.pairing import CupFormat, Draw, Pairing, draw_cup
from crowdgame.organizer.cups.pairing_names import name_pairing
from crowdgame.organizer.cups.pairing_status import (
    PairingOutcome,
    PairingResult,
    PairingStatus,
    decide_pairing,
    following_pairing,
    resolve_draw,
)
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.events import create_event, generate_code
from voting.matches import TERMS, lock_events
from voting.models import Event, Match, MatchResult
from voting.names import clean_name
from voting.terms import BOT, PHONES, Lobby, MatchState, TeamChoice

CUP_CODE_LENGTHS = (5, 7)  # no event's code has these, so that the two cannot be confused


class CupError(Exception):
    """A refused operation on a cup. The message is fit to be shown."""


@dataclass(frozen=True, slots=True)
class PlayedPairing:
    """The event of a pairing: its finished matches, and the one that is playing.

    `rehearsed`: a simulated crowd has played in at least one of its matches.
    """

    event: Event
    matches: tuple[Match, ...]
    live: Match | None
    rehearsed: bool

    @property
    def playing(self) -> bool:
        return self.live is not None

    @property
    def counted(self) -> tuple[Match, ...]:
        """The finished matches that count: without dry runs."""
        return tuple(match for match in self.matches if not match.rehearsed)


@dataclass(frozen=True, slots=True)
class CupProgress:
    """A cup and the state of its pairings. `names` is keyed by seed, `played` by the pairing's number.

    `filler` is the seed of the computer that fills a free place, if it does.
    """

    cup: Cup
    names: Mapping[int, str]
    filler: int | None
    draw: Draw
    meetings: tuple[PairingStatus, ...]
    played: Mapping[int, PlayedPairing]

    @property
    def kind(self) -> CupFormat:
        return CupFormat(self.cup.format)

    @property
    def champions(self) -> tuple[int, ...]:
        return champions(self.kind, tuple(self.names), self.meetings)


@contextmanager
def changing_cup(cup_id: int) -> Iterator[Cup]:
    """Open a transaction that locks the cup's row. Raises CupError if the cup has been deleted."""
    with transaction.atomic():
        held = Cup.objects.select_for_update(no_key=True).filter(pk=cup_id).first()
        if held is None:
            raise CupError(_("This cup has been deleted."))
        yield held


def create_cup(owner: User, name: str, teams: Sequence[str], filler: str = "", **choices: Any) -> Cup:
    """Create a cup. `teams` are names by seed, the best first. `choices` are further fields of Cup.

    If the number of teams is odd, `filler` joins as the last one: the strength of a computer opponent.
    """
    with transaction.atomic():
        code = generate_code(CUP_CODE_LENGTHS, (Cup, Event))
        cup = Cup.objects.create(owner=owner, name=clean_name(name), code=code, **choices)
        rows = [CupTeam(cup=cup, seed=seed, name=clean_name(team)) for seed, team in enumerate(teams, 1)]
        if filler and len(teams) % 2:
            with override(cup.language):
                computer = computer_name(filler)
            rows.append(CupTeam(cup=cup, seed=len(teams) + 1, name=computer, source=f"{BOT}:{filler}"))
        CupTeam.objects.bulk_create(rows)
    return cup


def load_cup_progress(cup: Cup) -> CupProgress:
    """Load a cup and compute the state of its pairings from the matches."""
    kind = CupFormat(cup.format)
    teams = list(cup.teams.order_by("seed"))
    names = {team.seed: team.name for team in teams}
    filler = next((team.seed for team in teams if team.source != PHONES), None)
    rows = {row.number: row for row in cup.pairings.select_related("event")}
    played = _load_played(rows.values())
    draw = draw_cup(kind, len(names))
    held = {
        number: PairingResult(row.red, row.yellow, _outcome(row, played, kind))
        for number, row in rows.items()
        if row.event or row.walkover  # else its event was deleted: the pairing can be started again
    }
    return CupProgress(cup, names, filler, draw, resolve_draw(draw, held), played)


def _load_played(rows: Collection[CupPairing]) -> dict[int, PlayedPairing]:
    """Return the pairings with an event, by the pairing's number. The number of queries is constant."""
    events = {row.event.pk: (row.number, row.event) for row in rows if row.event}
    matches: dict[int, list[Match]] = {event_id: [] for event_id in events}
    found = Match.objects.filter(event__in=events).select_related("red", "yellow")
    for match in found.order_by("event_id", "number"):
        matches[match.event_id].append(match)
    return {number: _played(event, matches[event_id]) for event_id, (number, event) in events.items()}


def _played(event: Event, matches: Sequence[Match]) -> PlayedPairing:
    return PlayedPairing(
        event,
        tuple(match for match in matches if match.state == MatchState.ENDED),
        next((match for match in matches if match.state == MatchState.PLAYING), None),
        any(match.rehearsed for match in matches),
    )


def _outcome(row: CupPairing, played: Mapping[int, PlayedPairing], kind: CupFormat) -> PairingOutcome:
    """Return the outcome of a pairing. A walkover overrides all matches."""
    if row.walkover:
        return PairingOutcome(over=True, winner=row.walkover, walkover=True)
    if row.number not in played:
        return PairingOutcome()
    held = played[row.number]
    return decide_pairing([_winner(match) for match in held.counted], held.event.best_of or 1, kind)


def is_pairing_over(event: Event) -> bool:
    """Whether the event is that of a pairing that is over."""
    row = CupPairing.objects.filter(event=event).select_related("cup", "event").first()
    return row is not None and _outcome(row, _load_played([row]), CupFormat(row.cup.format)).over


def _winner(match: Match) -> int | None:
    """Return the winner's number in the event, 1 or 2; None for a draw."""
    if match.result == MatchResult.DRAW:
        return None
    return match.red.number if match.result == MatchResult.RED else match.yellow.number


def start_pairing(cup_id: int, number: int) -> Event:
    """Return the pairing's event with an open lobby and a link for each team. Idempotent.

    Raises CupError if the pairing is unknown or over, or if its teams are not decided yet.
    """
    with changing_cup(cup_id) as cup:
        progress = load_cup_progress(cup)
        meeting = _find_pairing(progress, number)
        if meeting.held and number in progress.played:
            return progress.played[number].event
        red, yellow = _require_due(meeting)
        event = _create_event(progress, meeting, (red, yellow))
        if progress.filler in (red, yellow):
            place = (red, yellow).index(progress.filler) + 1
            event.teams.filter(number=place).update(source=cup.teams.get(seed=progress.filler).source)
        _write(cup, number, event=event, red=red, yellow=yellow, walkover=None)
    return event


def _find_pairing(progress: CupProgress, number: int) -> PairingStatus:
    found = next((meeting for meeting in progress.meetings if meeting.pairing.number == number), None)
    if found is None:
        raise CupError(_("This cup has no such pairing."))
    return found


def _require_due(meeting: PairingStatus) -> tuple[int, int]:
    if meeting.outcome.over:
        raise CupError(_("This pairing is already decided."))
    if meeting.red is None or meeting.yellow is None:
        raise CupError(_("The teams of this pairing are not decided yet."))
    return meeting.red, meeting.yellow


def _create_event(progress: CupProgress, meeting: PairingStatus, teams: tuple[int, int]) -> Event:
    cup = progress.cup
    series = cup.best_of > 1
    return create_event(
        cup.owner,
        name_event(progress, meeting.pairing),
        (progress.names[teams[0]], progress.names[teams[1]]),
        language=cup.language,
        lobby=Lobby.OPEN,
        team_choice=TeamChoice.LINK,
        best_of=cup.best_of if series else None,
        next_match_after_s=cup.next_match_after_s if series else None,
        nicknames=cup.nicknames,
        **{term: getattr(cup, term) for term in TERMS},
    )


def name_event(progress: CupProgress, pairing: Pairing) -> str:
    """Return the name of a pairing's event in the cup's language, cut to the field's length."""
    longest = Event._meta.get_field("name").max_length
    with override(progress.cup.language):
        title = name_pairing(progress.kind, progress.draw, pairing)
    return f"{progress.cup.name}: {title}"[:longest].strip()


def _write(cup: Cup, number: int, **changes: Any) -> None:
    CupPairing.objects.update_or_create(cup=cup, number=number, defaults=changes)


def give_walkover(cup_id: int, number: int, place: int) -> str:
    """Let the first or second team (`place`) win without playing. Returns its name.

    No match of the pairing starts by itself any more.

    Raises CupError if the pairing is unknown or over, a match is playing, or the teams are not decided yet.
    """
    with changing_cup(cup_id) as cup:
        _lock_event(cup, number)
        progress = load_cup_progress(cup)
        meeting = _find_pairing(progress, number)
        teams = _require_due(meeting)
        played = progress.played.get(number) if meeting.held else None
        if played and played.playing:
            raise CupError(_("A match of this pairing is live. Abort it, or wait until it ends."))
        event = played.event if played else None
        _write(cup, number, event=event, red=teams[0], yellow=teams[1], walkover=place)
        if event and event.next_match_at is not None:
            Event.objects.filter(pk=event.pk).update(next_match_at=None)
            announce(event.pk, protocol.EventEdited, box_time())
    if event:
        relay(event.pk)
    return progress.names[teams[place - 1]]


def _lock_event(cup: Cup, number: int) -> None:
    """Take `event_lock` for the event of a pairing, if it has one."""
    held = Event.objects.filter(cup_pairing__cup=cup, cup_pairing__number=number)
    lock_events([event.pk for event in held]).first()


def revoke_walkover(cup_id: int, number: int) -> None:
    """Take back a walkover. Raises CupError if there is none, or if the winner's next pairing has started."""
    with changing_cup(cup_id) as cup:
        progress = load_cup_progress(cup)
        after = following_pairing(number, progress.meetings)
        if not _find_pairing(progress, number).outcome.walkover:
            raise CupError(_("There is no walkover to undo."))
        if after and after.held:
            raise CupError(_("The winner's next pairing has already started."))
        CupPairing.objects.filter(cup=cup, number=number, event=None).delete()
        CupPairing.objects.filter(cup=cup, number=number).update(walkover=None)
