"""Early close: end a turn before its deadline because everyone voted, or because the clocks allow it."""

from contextlib import suppress

from django.utils.translation import gettext as _
from redis import RedisError

from voting import protocol
from voting.ballot_box.archive import hand_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.counting import window
from voting.counting.window import Window
from voting.matches import MatchError, claim_turn, event_lock
from voting.models import Team, Turn, TurnState
from voting.positions import Position, load_position
from voting.terms import HANDS
from voting.turns.clocks import turn_ends_at
from voting.turns.closing import close_expired, close_turn
from voting.turns.restoring import must_stay_open, restore_turn
from voting.turns.turns import change_turn, load_turn, place_turn, set_window, to_boxed_turn


def close_turn_early(turn_id: int, closes_at: int, box: BallotBox) -> None:
    """End the window if `closes_at` is still its deadline (Unix ms): everyone connected has voted.

    A team that votes by show of hands has voted once its hands are counted, and a ballot source once its
    ballots are cast. In a match with clocks the picks
    so far decide. A turn whose box is missing or outdated is restored first. A restored turn stays open until
    its voters are back.
    """
    turn = load_turn(turn_id)
    if turn.state != TurnState.OPEN:
        return
    if turn.opens_at <= box.now() and box.find_inconsistent([to_boxed_turn(turn).ref]):
        restore_turn(turn_id, box)  # a gateway that misses the box reports it with this call
        turn = load_turn(turn_id)
    if must_stay_open(turn, box):
        return
    if turn.match.bank_s is not None:
        apply_clocks(turn, box)
        return
    same = turn.closes_at == closes_at
    if same and turn.match.close_early and box.now() < closes_at and not _lacks_ballots(turn):
        with suppress(MatchError):
            end_window(turn, box)


def apply_clocks(turn: Turn, box: BallotBox) -> None:
    """After a pick in a match with clocks, close the turn or move its deadline."""
    position = load_position(turn.match, before=turn)
    over = turn_ends_at(turn, position, box)
    with suppress(MatchError):
        if turn.is_sealed or over <= box.now():
            _close_silently(turn, position, box)
        elif over != turn.closes_at:
            change_turn(turn, protocol.TurnMoved, box, closes_at=over)


def _close_silently(turn: Turn, position: Position, box: BallotBox) -> None:
    """Close without announcing the new deadline.

    Clients already see all clocks stopped; the reveal comes next.
    """
    if not turn.is_sealed:
        with event_lock(turn.match.event_id):
            if not claim_turn(turn, closes_at=max(turn.opens_at, box.now())):
                return
        place_turn(turn, box, create=False)
    with box.closing_lease.hold(turn.pk):
        close_expired({turn: position}, box)


def end_window(turn: Turn, box: BallotBox) -> None:
    """End the window now and count the ballots. Raises MatchError unless the window is open or paused.

    A restored turn no longer waits for its voters.
    """
    now = box.now()
    if turn.state == TurnState.OPEN and now < turn.opens_at:
        raise MatchError(_("Voting has not started yet."))
    if turn.state == TurnState.OPEN and now >= turn.closes_at:
        raise MatchError(_("Time is up. The votes are being counted."))
    times = window.close_window(Window(turn.opens_at, turn.closes_at), now)
    set_window(turn, protocol.TurnMoved, times, box, box_lost_at=None, reached_at=None)
    with suppress(RedisError):  # the scheduler closes it then
        close_turn(turn.pk, box)


def _lacks_ballots(turn: Turn) -> bool:
    """Return whether a ballot source, or the count of a show of hands, is missing."""
    return turn.awaits_sources or _lacks_hands(turn)


def _lacks_hands(turn: Turn) -> bool:
    by_hands = Team.objects.filter(event=turn.match.event_id, source=HANDS).values_list("pk", flat=True)
    teams = set(by_hands)
    if not teams:
        return False
    position = load_position(turn.match)
    moving = [side for side in position.to_move if getattr(turn.match, f"{side}_id") in teams]
    counted = set(hand_ballots(turn).values_list("side", flat=True))
    return any(side not in counted for side in moving)
