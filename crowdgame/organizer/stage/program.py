"""What the stage shows: an event's display, or a cup's current match, its board and at the end its podium."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from crowdgame.organizer.cups.cups import CupProgress, PlayedPairing
from voting.models import Event, Match
from voting.terms import MatchState

# Since the end of a match, when the reveal of its last turn begins.
REPORT_AFTER_MS = 25_000
CELEBRATION_MS = 60_000


@dataclass(frozen=True, slots=True)
class Program:
    """The page to show. `event` is that of a display. `report` is the number of its ended match, or 0."""

    page: Literal["display", "board", "podium"]
    event: Event | None = None
    report: int = 0


def event_program(event: Event, last: Match | None, now: int) -> Program:
    """Return the event's display. `last` is its latest match; `now` is in milliseconds."""
    if last is None or last.state != MatchState.ENDED or _age_ms(last, now) < REPORT_AFTER_MS:
        return Program("display", event)
    return Program("display", event, last.number)


def cup_program(progress: CupProgress, now: int) -> Program:
    """Return what a cup shows.

    The pairing that the organizer chose comes first. Next is the match that began first, until its end has
    been celebrated, and then the pairing that was opened last. Without a pairing: the podium once all are
    over, else the board.
    """
    pairings = dict(_shown_pairings(progress, now))
    chosen = progress.cup.shown_pairing
    if chosen in pairings:
        shown = pairings[chosen]
    elif pairings:
        shown = min(pairings.values(), key=lambda played: _rank(played, now))
    else:
        return Program("podium" if progress.champions else "board")
    return event_program(shown.event, _last_match(shown), now)


def _shown_pairings(progress: CupProgress, now: int) -> Iterator[tuple[int, PlayedPairing]]:
    """Yield the pairings that are open or were just won, by their numbers."""
    for meeting in progress.meetings:
        played = progress.played.get(meeting.pairing.number)
        if played is None or not meeting.held or meeting.outcome.walkover:
            continue
        if not meeting.outcome.over or _staged_match(played, now):
            yield meeting.pairing.number, played


def _rank(played: PlayedPairing, now: int) -> tuple[bool, int]:
    match = _staged_match(played, now)
    return (False, match.started_at) if match else (True, -played.event.pk)


def _staged_match(played: PlayedPairing, now: int) -> Match | None:
    """Return the match that is playing or whose end is being celebrated."""
    last = _last_match(played)
    return last if last and (played.live or _age_ms(last, now) < CELEBRATION_MS) else None


def _last_match(played: PlayedPairing) -> Match | None:
    return played.live or (played.matches[-1] if played.matches else None)


def _age_ms(match: Match, now: int) -> int:
    return now - (match.ended_at or now)
