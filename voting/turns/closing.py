"""Close turns exactly once: seal, commit, recount, decide, resolve, write, announce.

Turns that share a deadline are closed together: a call to Valkey or a statement a step, and one transaction.
A single turn is a set of one. Closing is idempotent and survives a crash at any step. It is attempted at
least once, on frozen input, with a deterministic engine, and a compare-and-set in the database lets one
attempt write. There is no leader election. A lease saves double work (see `ClosingLease`).
"""

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from django.db import IntegrityError, transaction
from msgspec.structs import replace

from games.engine.game import Side
from voting import protocol
from voting.announcements.outbox import publish_seals, relay
from voting.ballot_box.archive import load_stored_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxLost, Prefetched, Sealed, TooEarly
from voting.counting.ballots import Ballot, merge_ballots
from voting.counting.commitments import NO_LEAVES, SortedBallots, sort_ballots
from voting.counting.side_changes import SideChange, commit_secretly, current_sides, reassign_sides
from voting.matches import MatchError, lock_events
from voting.metrics.metrics import CLOSE_LAG_S, RESOLVE_LAG_S
from voting.models import StoredBallot, Turn, TurnState
from voting.positions import Position, load_positions
from voting.terms import TieRule
from voting.turns import clocks, secret_sides
from voting.turns.outcome_store import DecidedTurn, WrittenTurn, write_outcomes
from voting.turns.outcomes import ballots_by_side, decide_outcome
from voting.turns.prefetching import PreparedBallots, prepare_ballots
from voting.turns.restoring import begin_epoch, must_stay_open, restore_turn
from voting.turns.retry_book import PERMANENT_ERRORS
from voting.turns.seals import SealContradicted, record_seals, recorded_seal
from voting.turns.side_change_store import load_side_changes
from voting.turns.turns import change_turn, log_match, place_new_turns, to_boxed_turn

log = logging.getLogger(__name__)

MAX_EARLY_WAIT_MS, MIN_WAIT_MS = 250, 1
TURNS_PER_TRANSACTION = 100  # larger ones hold SQLite's lock for longer than they save
NOTHING_PREPARED = PreparedBallots()


class SealedTurn(NamedTuple):
    """A turn after its seal: the position it is played in, the ballots of each side and all side changes."""

    turn: Turn
    position: Position
    ballots: dict[Side, SortedBallots]
    side_changes: Sequence[SideChange]
    seal: protocol.TurnSealed

    @property
    def event_id(self) -> int:
        return self.turn.match.event_id


def close_turn(turn_id: int, box: BallotBox) -> None:
    """Close the turn if it is over. Does nothing before the deadline; idempotent.

    Raises redis.exceptions.LockError if another process is closing it.
    """
    with box.closing_lease.hold(turn_id):
        _close_held([turn_id], box)


def close_together(turn_ids: Sequence[int], box: BallotBox) -> list[int]:
    """Close those of the turns that are over and that no other process is closing; idempotent.

    Returns those to close alone: changed meanwhile, or of an event that somebody has locked; all of them if
    one fails.
    """
    with box.closing_lease.hold_all(turn_ids) as held:
        try:
            return _close_held(held, box)
        except (IntegrityError, *PERMANENT_ERRORS) as error:
            log.warning("closing %s turns one by one instead of together: %s", len(held), error)
            return held


def _close_held(turn_ids: Sequence[int], box: BallotBox) -> list[int]:
    turns, prepared = _load_open_turns(turn_ids), NOTHING_PREPARED
    if len(turns) == 1:
        prepared = prepare_ballots(turns[0], box)
        if prepared.prefetched.token:
            turns = _load_open_turns(turn_ids)  # it may have been changed meanwhile
    complete = [turn for turn in turns if not must_stay_open(turn, box)]
    positions = load_positions(complete)
    over = {turn: at for turn, at in positions.items() if _is_over_by_clocks(turn, at, box)}
    return close_expired(over, box, prepared)


def _load_open_turns(turn_ids: Sequence[int]) -> list[Turn]:
    turns = Turn.objects.filter(pk__in=turn_ids, state=TurnState.OPEN)
    return list(turns.select_related("match"))


def close_expired(
    turns: Mapping[Turn, Position],
    box: BallotBox,
    prepared: PreparedBallots = NOTHING_PREPARED,
    reveal_at: int | None = None,
) -> list[int]:
    """Close turns whose final deadline has come; each position is the match before the turn.

    A turn that waits for the host is only sealed until `reveal_due_at`, or until the host starts the reveal,
    at `reveal_at`. Call it with the closing lease. When a lease has run out, several processes may close the
    same turn: one of them writes. A turn that the box lost is restored instead, also if it lost only ballots
    of a seal that may be public. Returns the turns that were changed meanwhile or are locked.
    """
    recorded = _record(_seal(turns, box, prepared), box)
    reveals = {one.turn: reveal_at or _reveal_at(one) for one in recorded}
    later = [turn for turn, at in reveals.items() if at > turn.closes_at and reveal_at is None]
    waiting = {turn for turn in later if not wait_if_near(reveals[turn], box)}
    ready = [one for one in recorded if one.turn not in waiting]
    written = []
    for first in range(0, len(ready), TURNS_PER_TRANSACTION):
        now_revealed = ready[first : first + TURNS_PER_TRANSACTION]
        ballots = sum(len(cast.ballots) for one in now_revealed for cast in one.ballots.values())
        box.closing_lease.renew(*(one.turn.pk for one in ready[first:]), ballots=ballots)
        written += _reveal(now_revealed, box)
    if written:
        place_new_turns([one.following for one in written if one.following], box)
        _record_metrics(written, reveals)
        box.expire_all(to_boxed_turn(one.turn).ref for one in written)
    return [turn.pk for turn in turns.keys() - waiting - {one.turn for one in written}]


def _is_over_by_clocks(turn: Turn, position: Position, box: BallotBox) -> bool:
    """Return whether the turn is over at its deadline; always True in a match with fixed windows.

    In a match with clocks, if a side has picked in time and another has time left, the deadline moves to the
    end of that time and the turn stays open.
    """
    if turn.match.bank_s is None or turn.is_sealed:
        return True
    if not wait_if_near(turn.closes_at, box):
        return False
    turn_ends_at = clocks.turn_ends_at(turn, position, box)
    if turn_ends_at > turn.closes_at:
        with suppress(MatchError):
            change_turn(turn, protocol.TurnMoved, box, closes_at=turn_ends_at)
        return False
    return True


def wait_if_near(deadline: int, box: BallotBox) -> bool:
    """Sleep until `deadline` if it is at most MAX_EARLY_WAIT_MS away; otherwise return False at once.

    The scheduler enqueues a close slightly early, to hide the latency of the queue. Clocks of a cluster's
    nodes also differ.
    """
    left_ms = deadline - box.now()
    if left_ms > MAX_EARLY_WAIT_MS:
        return False
    time.sleep(max(MIN_WAIT_MS, left_ms) / 1000)
    return True


def _seal(turns: Mapping[Turn, Position], box: BallotBox, prepared: PreparedBallots) -> list[SealedTurn]:
    """Seal the turns at their deadlines. Restore those that the box lost."""
    answers = _seal_in_time(list(turns), box, prepared.prefetched)
    for turn_id in [turn_id for turn_id, answer in answers.items() if isinstance(answer, BoxLost)]:
        restore_turn(turn_id, box)
    stored = set(StoredBallot.objects.filter(turn__in=answers).values_list("turn", flat=True).distinct())
    sealed = []
    for turn, position in turns.items():
        answer = answers.get(turn.pk)
        if isinstance(answer, Sealed):
            ballots = answer.ballots
            if turn.pk in stored:  # of a long window, or a show of hands
                ballots = merge_ballots(ballots, load_stored_ballots(turn))
            sealed.append(_commit(turn, position, ballots, answer.sealed_at, prepared.leaves))
    return sealed


def _seal_in_time(
    turns: Sequence[Turn], box: BallotBox, prefetched: Prefetched
) -> dict[int, TooEarly | BoxLost | Sealed]:
    """Seal at the deadlines; retry for at most MAX_EARLY_WAIT_MS if the box says that it is too early."""
    patient_until = time.monotonic() + MAX_EARLY_WAIT_MS / 1000
    answers = dict[int, TooEarly | BoxLost | Sealed]()
    while turns:
        answers |= box.seal_all([to_boxed_turn(turn) for turn in turns], prefetched)
        turns = [turn for turn in turns if isinstance(answers.get(turn.pk), TooEarly)]
        latest = box.now() + MAX_EARLY_WAIT_MS if turns else 0
        early = [answer.closes_at for answer in answers.values() if isinstance(answer, TooEarly)]
        near = [closes_at for closes_at in early if closes_at <= latest]
        if not near or time.monotonic() >= patient_until or not wait_if_near(max(near), box):
            break
    return answers


def _commit(
    turn: Turn, position: Position, ballots: Sequence[Ballot], sealed_at: int, leaves: Mapping[int, bytes]
) -> SealedTurn:
    """Commit to the ballots of each side, in public; if sides are secret, to all ballots and side changes."""
    side_changes = load_side_changes(turn.match) if turn.match.max_side_changes else ()
    if side_changes:
        ballots = reassign_sides(ballots, current_sides(side_changes))
    by_side = sort_sides(turn, ballots_by_side(position, ballots), leaves)
    commitments = {side: cast.commitment for side, cast in by_side.items()}
    red, yellow = commitments.get("red"), commitments.get("yellow")
    seal = protocol.TurnSealed(turn=turn.pk, at=sealed_at, epoch=turn.epoch, red=red, yellow=yellow)
    if turn.match.max_side_changes:
        new = [change for change in side_changes if change.turn == turn.number]
        roots = {side: commitment.root for side, commitment in commitments.items()}
        turn_commitment = commit_secretly(turn.pk, roots, new)
        seal = replace(seal, red=None, yellow=None, turn_commitment=turn_commitment)
    return SealedTurn(turn, position, by_side, side_changes, seal)


def sort_sides(
    turn: Turn, arrived: dict[Side, Sequence[Ballot]], leaves: Mapping[int, bytes] = NO_LEAVES
) -> dict[Side, SortedBallots]:
    """Sort each side's ballots, which are in order of arrival. `leaves` come from `hash_ballots`."""
    is_first = turn.match.tie_rule == TieRule.FIRST
    return {
        side: sort_ballots(turn.pk, side, ballots, leaves, commit_order=is_first)
        for side, ballots in arrived.items()
    }


def _record(sealed: Sequence[SealedTurn], box: BallotBox) -> list[SealedTurn]:
    """Record and publish the seals before anything that depends on the count.

    Returns those of turns that nobody has changed and whose event nobody has locked.
    """
    if not sealed:
        return []
    with transaction.atomic():
        free = set(lock_events([one.event_id for one in sealed]).values_list("pk", flat=True))
        current = record_seals({one.turn: one.seal for one in sealed if one.event_id in free})
    recorded = []
    for one in sealed:
        if one.turn in current:
            try:
                recorded.append(one._replace(seal=recorded_seal(one.turn, one.seal)))
            except SealContradicted as loss:
                log.warning("%s", loss, extra={"event": one.event_id, "turn": one.turn.pk})
                begin_epoch(one.turn, box)
    if recorded:
        publish_seals({one.event_id: one.seal for one in recorded})
    return recorded


def _reveal_at(sealed: SealedTurn) -> int:
    """When the turn is to be revealed: at its deadline, unless it waits for the host."""
    turn = sealed.turn
    return turn.closes_at if sealed.position.vote == "concealed" else turn.reveal_due_at


def _reveal(sealed: Sequence[SealedTurn], box: BallotBox) -> list[WrittenTurn]:
    """Decide, write and announce the turns. Returns those that no other process wrote first."""
    decided = [_decide(one, box) for one in sealed]
    # The reveal begins now, after the count. A cluster's nodes differ, and clocks can be set back.
    now = max(box.now(), *(one.seal.at for one in sealed))
    written = write_outcomes(decided, now)
    relay(*(one.event_id for one in sealed))
    return written


def _decide(sealed: SealedTurn, box: BallotBox) -> DecidedTurn:
    turn, position, by_side, side_changes, seal = sealed
    deserted = None
    if side_changes:
        cast = chain.from_iterable(side.ballots for side in by_side.values())
        deserted = secret_sides.find_deserted_side(turn.match, cast, side_changes)
    outcome = decide_outcome(turn, position, by_side, deserted)
    roots = {side: cast.commitment.root for side, cast in by_side.items()}
    time_used = {} if turn.match.bank_s is None else clocks.time_used(turn, position, box)
    return DecidedTurn(turn, outcome, seal, roots, time_used)


def _record_metrics(written: Sequence[WrittenTurn], reveals: Mapping[Turn, int]) -> None:
    """Record metrics, and log what is public by now. `reveals` is when each turn was to be revealed."""
    for one in written:
        turn, event, ballots = one.turn, one.event_id, sum(map(len, one.outcome.ballots.values()))
        sealed_ms = (turn.sealed_at or 0) - turn.closes_at
        resolved_ms = one.committed_at - reveals[turn]
        CLOSE_LAG_S.observe(max(0, sealed_ms) / 1000)
        RESOLVE_LAG_S.observe(max(0.0, resolved_ms) / 1000)
        fields = {"event": event, "turn": turn.pk, "ballots": ballots}
        log.info(
            "turn %s of event %s closed, ballots: %s; sealed %.0f ms and resolved %.0f ms after it was due",
            *(turn.pk, event, ballots, sealed_ms, resolved_ms),
            extra=fields | {"sealed_ms": sealed_ms, "resolved_ms": round(resolved_ms)},
        )
        if one.outcome.ended_by:
            log_match("ended", turn.match)
        elif side := one.outcome.draw_offered_by:
            offer = fields | {"draw_offered_by": side}
            log.info("a draw offer of %s stands after turn %s of event %s", side, turn.pk, event, extra=offer)
