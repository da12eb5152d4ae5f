"""Which matches a control room's simulated crowd has played: in a cup they count for nothing.

A crowd plays one match, the one that is on when it comes or the next, and goes home with its end.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crowdgame.rehearsal.dry_runs import LONGEST_S

CAME, SENT_HOME = "rehearsal.start", "rehearsal.stop"


@dataclass(frozen=True, slots=True)
class Span:
    """A match, by the ballot box's time; `until` is None while it is playing."""

    number: int
    since: int
    until: int | None


@dataclass(frozen=True, slots=True)
class Press:
    action: str
    at: int


def rehearsed(matches: Sequence[Span], presses: Sequence[Press]) -> set[int]:
    """Their numbers; both oldest first, and aborted matches among them."""
    played = (_first(matches, came, gone) for came, gone in _visits(presses))
    return {number for number in played if number is not None}


def _visits(presses: Sequence[Press]) -> Iterator[tuple[int, int]]:
    """From when until when there may have been a crowd."""
    for place, press in enumerate(presses):
        if press.action == CAME:
            sent_home = [later.at for later in presses[place:] if later.action == SENT_HOME]
            yield press.at, min([press.at + int(LONGEST_S * 1000), *sent_home])


def _first(matches: Iterable[Span], came: int, gone: int) -> int | None:
    there = (one.number for one in matches if one.since < gone and (one.until is None or one.until > came))
    return next(there, None)
