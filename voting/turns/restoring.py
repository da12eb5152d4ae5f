"""Restore a turn that the ballot box lost, and keep it open until its voters have sent their ballots again.

The number of voters and ballots to wait for is in the database, because the box loses its own.
"""

from collections.abc import Mapping
from contextlib import suppress

from django.db import connection, transaction
from django.db.models import QuerySet

from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.archive import load_stored_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxState
from voting.counting import window
from voting.counting.window import Window
from voting.matches import MatchError, claim_turn, event_lock
from voting.models import Turn, TurnState
from voting.transparency.log import append_entries
from voting.turns import log_entries
from voting.turns.seals import void_seal
from voting.turns.turns import change_turn, load_turn, log, to_boxed_turn, update_box

RAISE_MOST_SQL = """
    UPDATE games_turn SET
        most_voters = CASE WHEN most_voters < %s THEN %s ELSE most_voters END,
        most_ballots = CASE WHEN most_ballots < %s THEN %s ELSE most_ballots END
    WHERE id = %s
"""


def record_turnouts(states: Mapping[int, BoxState]) -> None:
    """Raise each turn's `most_voters` and `most_ballots` to these numbers. Idempotent, in any order."""
    rows = [(s.voters, s.voters, s.ballots, s.ballots, turn_id) for turn_id, s in sorted(states.items())]
    if rows:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(RAISE_MOST_SQL, rows)


def restore_turn(turn_id: int, box: BallotBox) -> None:
    """Recover a turn that the box lost: put it back, with time for clients to send their ballots again.

    Does nothing unless the turn is open and its box is missing.
    """
    turn = load_turn(turn_id)
    if turn.state == TurnState.OPEN and not update_box(turn, box, create=False):
        begin_epoch(turn, box)


def begin_epoch(turn: Turn, box: BallotBox) -> None:
    """Put an open turn back into the box with a new epoch, which tells clients to send their ballots again.

    Does nothing if it was changed since it was loaded. In a match with clocks, the window moves by at least
    MIN_RESTORED_MS, or by the time that it was open, so that no side loses the time until clients are back.
    Clocks of crowds begin again, because the box alone knew since when all of a side had voted.
    """
    now = box.now()
    open_ms = max(0, now - turn.opens_at)
    until = max(now, turn.opens_at) + window.MIN_RESTORED_MS
    given_back_ms = open_ms if turn.match.crowd_clocks else min(open_ms, window.MIN_RESTORED_MS)
    times = _postponed(turn, until, given_back_ms)
    # Stored ballots need no voter, but a player whose clock is about to run out does.
    ends_soon = turn.match.bank_s is not None and times["closes_at"] < now + window.MAX_OUTAGE_MS
    lost_at = now if ends_soon or not turn.stored else None
    lost = {"epoch": turn.epoch + 1, "box_lost_at": lost_at, "reached_at": None}
    lost |= void_seal(turn, now, turn.epoch + 1)
    with event_lock(turn.match.event_id):
        if not claim_turn(turn, **times, **lost):
            return
        announce(turn.match.event_id, protocol.TurnRestored, now)
        append_entries([*log_entries.void_seal(turn, lost)])
    update_box(turn, box, create=True)
    box.cast(to_boxed_turn(turn), load_stored_ballots(turn, hands=False))
    relay(turn.match.event_id)
    extra = {"event": turn.match.event_id, "turn": turn.pk}
    log.warning("the ballot box lost turn %s, phones resend their ballots", turn.pk, extra=extra)


def restored_turns(until: int) -> QuerySet[Turn, int]:
    """Return the ids of the open turns that were restored and close by `until`."""
    lost = Turn.objects.filter(state=TurnState.OPEN, closes_at__lte=until, box_lost_at__isnull=False)
    return lost.values_list("pk", flat=True)


def must_stay_open(turn: Turn, box: BallotBox) -> bool:
    """Return whether an open turn was restored and waits for its voters; extend it if it closes too soon."""
    if turn.box_lost_at is None or turn.is_sealed:
        return False
    state, now = box.inspect([to_boxed_turn(turn).ref])[turn.pk], box.now()
    reached_at = (turn.reached_at or now) if state.gateways else None
    complete = state.voters >= turn.most_voters and state.ballots >= turn.most_ballots
    until = window.restored_until(now, turn.box_lost_at, reached_at, complete=complete)
    waits = now < until
    if waits and (reached_at != turn.reached_at or turn.closes_at < until):
        times = _postponed(turn, until)
        with suppress(MatchError):  # changed meanwhile, and checked again soon
            change_turn(turn, protocol.TurnMoved, box, reached_at=reached_at, **times)
    return waits


def _postponed(turn: Turn, until: int, min_shift_ms: int = 0) -> dict[str, int]:
    """Return the turn's times, changed to stay open until `until`.

    In a match with clocks the window moves instead, by at least `min_shift_ms`, so that no side loses time.
    """
    before = Window(turn.opens_at, turn.closes_at)
    times = window.keep_window_open(before, until)
    if turn.match.bank_s is not None:
        shift_ms = max(times.closes_at - before.closes_at, min_shift_ms)
        times = window.shift_window(before, shift_ms)
    return {"opens_at": times.opens_at, "closes_at": times.closes_at}
