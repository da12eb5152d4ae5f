"""End events at their planned time."""

from collections.abc import Iterable
from contextlib import suppress

from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import Match
from voting.terms import MatchState
from voting.turns.voiding import stop_match


def events_to_end(now: int) -> Iterable[int]:
    """Return the events whose time is over, but which still have a live match."""
    live = Match.objects.filter(state=MatchState.PLAYING, event__ends_at__lte=now)
    return live.values_list("event_id", flat=True)


def end_event(event_id: int, box: BallotBox) -> None:
    """Abort the live match. A turn that is being closed is left to that; the scheduler tries again."""
    with suppress(MatchError):
        stop_match(event_id, box, lambda _: None)
