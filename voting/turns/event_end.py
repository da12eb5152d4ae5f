"""End events at their planned time."""

from collections.abc import Iterable
from contextlib import suppress

from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError, live_turn
from voting.models import Match, TurnState
from voting.terms import MatchState
from voting.turns.voiding import stop_match


def events_to_end(now: int) -> Iterable[int]:
    """Return the events whose time is over, but which still have a live match."""
    live = Match.objects.filter(state=MatchState.PLAYING, event__ends_at__lte=now)
    return live.values_list("event_id", flat=True)


def end_event(event_id: int, box: BallotBox) -> None:
    """Abort the live match. A turn whose window is over is counted first; the scheduler calls again."""
    now = box.now()

    def abort_unless_over(match: Match) -> None:
        turn = live_turn(match)
        if turn and turn.state == TurnState.OPEN and turn.closes_at <= now:
            raise MatchError

    with suppress(MatchError):
        stop_match(event_id, box, abort_unless_over)
