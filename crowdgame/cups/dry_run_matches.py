"""Which matches a simulated crowd (dry run) has played. They do not count in a cup.

A crowd plays one match, the live one when it joins or the next one, and leaves at its end.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crowdgame.rehearsal.dry_runs import MAX_DURATION_S

DRY_RUN_STARTED, DRY_RUN_STOPPED = "rehearsal.start", "rehearsal.stop"


@dataclass(frozen=True, slots=True)
class MatchSpan:
    """The time span of a match, in ms by the ballot box's clock. `until` is None while it is playing."""

    number: int
    since: int
    until: int | None


@dataclass(frozen=True, slots=True)
class DryRunAction:
    """The start or stop of a dry run, from the audit log. `at` is in ms since 1970."""

    action: str
    at: int


def rehearsed(matches: Sequence[MatchSpan], presses: Sequence[DryRunAction]) -> set[int]:
    """Return the numbers of the matches that a simulated crowd has played.

    Both arguments are sorted, oldest first. `matches` includes aborted ones.
    """
    played = (_first_overlapping(matches, came, gone) for came, gone in _dry_run_periods(presses))
    return {number for number in played if number is not None}


def _dry_run_periods(presses: Sequence[DryRunAction]) -> Iterator[tuple[int, int]]:
    """Yield start and end of the periods in which a crowd may have been connected."""
    for place, press in enumerate(presses):
        if press.action == DRY_RUN_STARTED:
            sent_home = [later.at for later in presses[place:] if later.action == DRY_RUN_STOPPED]
            yield press.at, min([press.at + int(MAX_DURATION_S * 1000), *sent_home])


def _first_overlapping(matches: Iterable[MatchSpan], came: int, gone: int) -> int | None:
    there = (one.number for one in matches if one.since < gone and (one.until is None or one.until > came))
    return next(there, None)
