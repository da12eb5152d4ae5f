"""Which matches a control room's simulated crowd has played: in a cup they count for nothing.

A crowd plays one match, the one that is on when it comes or the next, and goes home with its end.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crowdgame.rehearsal.dry_runs import MAX_DURATION_S

DRY_RUN_STARTED, DRY_RUN_STOPPED = "rehearsal.start", "rehearsal.stop"


@dataclass(frozen=True, slots=True)
class MatchSpan:
    """A match, by the ballot box's time; `until` is None while it is playing."""

    number: int
    since: int
    until: int | None


@dataclass(frozen=True, slots=True)
class DryRunAction:
    action: str
    at: int


def rehearsed(matches: Sequence[MatchSpan], presses: Sequence[DryRunAction]) -> set[int]:
    """Their numbers; both oldest first, and aborted matches among them."""
    played = (_first_overlapping(matches, came, gone) for came, gone in _dry_run_periods(presses))
    return {number for number in played if number is not None}


def _dry_run_periods(presses: Sequence[DryRunAction]) -> Iterator[tuple[int, int]]:
    """From when until when there may have been a crowd."""
    for place, press in enumerate(presses):
        if press.action == DRY_RUN_STARTED:
            sent_home = [later.at for later in presses[place:] if later.action == DRY_RUN_STOPPED]
            yield press.at, min([press.at + int(MAX_DURATION_S * 1000), *sent_home])


def _first_overlapping(matches: Iterable[MatchSpan], came: int, gone: int) -> int | None:
    there = (one.number for one in matches if one.since < gone and (one.until is None or one.until > came))
    return next(there, None)
