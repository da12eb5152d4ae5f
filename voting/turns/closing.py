"""Close a turn exactly once: seal, commit, recount, decide, resolve, write, announce.

Closing is idempotent and survives a crash at any step. It is attempted at least once, on frozen input, with a
deterministic engine, and a compare-and-set in the database lets one attempt write. There is no leader
election. A lease saves double work (see `ClosingLease`).
"""

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple, cast

from django.dispatch import Signal
from msgspec.structs import asdict, replace

from games.engine.game import Side
from voting import protocol
from voting.announcements.outbox import announce, publish_now, relay
from voting.announcements.snapshots import plan_reveal
from voting.ballot_box.archive import load_stored_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxLost, Prefetched, Sealed, TooEarly
from voting.counting import window
from voting.counting.ballots import Ballot, merge_ballots, pack_ballots
from voting.counting.commitments import NO_LEAVES, SortedBallots, sort_ballots
from voting.counting.series import Series, current_series, winning_team
from voting.counting.side_changes import SideChange, commit_secretly, current_sides, reassign_sides
from voting.matches import MatchError, Position, claim_turn, end_match, event_lock, is_idle, load_position
from voting.metrics.metrics import CLOSE_LAG_S, RESOLVE_LAG_S
from voting.models import CLOSED_STATES, Event, Match, TallyRecord, Turn, TurnState
from voting.terms import MatchState, TieRule
from voting.turns import clocks, secret_sides
from voting.turns.analysis_pause import pause_after_reveal_ms
from voting.turns.outcomes import TurnOutcome, ballots_by_side, decide_outcome
from voting.turns.prefetching import PreparedBallots, prepare_ballots
from voting.turns.restoring import begin_epoch, must_stay_open, restore_turn
from voting.turns.seals import SealContradicted, record_seal
from voting.turns.side_change_store import load_side_changes
from voting.turns.turns import (
    change_turn,
    load_turn,
    log_match,
    place_turn,
    plan_turn,
    to_boxed_turn,
)

log = logging.getLogger(__name__)

MAX_EARLY_WAIT_MS, MIN_WAIT_MS = 250, 1
NOTHING_PREPARED = PreparedBallots()
# The turn fields that the ballot box holds.
BOX_FIELDS = ("version", "epoch", "opens_at", "closes_at", "red_bank_ms", "yellow_bank_ms")


# Sent with `match` in the transaction that ends it, after its result is written.
match_ended = Signal()


class SealCommitment(NamedTuple):
    """The message that announces the sealed ballots, and the Merkle root of each side."""

    message: protocol.TurnSealed
    roots: dict[Side, str]


class CommittedBallots(NamedTuple):
    """The ballots of each side and all side changes, with the commitment to them."""

    by_side: dict[Side, SortedBallots]
    side_changes: Sequence[SideChange]
    seal: SealCommitment


def close_turn(turn_id: int, box: BallotBox) -> None:
    """Close the turn if it is over. Does nothing before the deadline; idempotent.

    Raises redis.exceptions.LockError if another process is closing it.
    """
    with box.closing_lease.hold(turn_id):
        turn = load_turn(turn_id)
        if turn.state != TurnState.OPEN:
            return
        prepared = prepare_ballots(turn, box)
        if prepared.prefetched.token:
            turn = load_turn(turn_id)  # it may have been changed meanwhile
        if turn.box_lost_at is not None and must_stay_open(turn, box):
            return
        position = load_position(turn.match, before=turn)
        if _is_over_by_clocks(turn, position, box):
            close_expired_turn(turn, position, box, prepared)


def close_expired_turn(
    turn: Turn,
    position: Position,
    box: BallotBox,
    prepared: PreparedBallots = NOTHING_PREPARED,
    reveal_at: int | None = None,
) -> None:
    """Close a turn whose final deadline has come; `position` is the match before the turn.

    A turn that waits for the host is only sealed until `reveal_due_at`, or until the host starts the reveal,
    at `reveal_at`. Call it with the closing lease. When a lease has run out, several processes may close the
    same turn: one of them writes. A turn that the box lost is restored instead, also if it lost only ballots
    of a seal that may be public.
    """
    sealed = _seal(turn, box, prepared.prefetched)
    if isinstance(sealed, BoxLost):
        restore_turn(turn.pk, box)
    elif isinstance(sealed, Sealed):
        try:
            committed = _publish_seal(turn, position, sealed, prepared.leaves)
        except SealContradicted as loss:
            log.warning("%s", loss, extra={"event": turn.match.event_id, "turn": turn.pk})
            begin_epoch(turn, box)
            return
        if reveal_at is None:
            reveal_at = turn.closes_at if position.vote == "concealed" else turn.reveal_due_at
            if reveal_at > turn.closes_at and not wait_if_near(reveal_at, box):
                return
        if committed:
            _resolve(turn, position, committed, box, reveal_at)


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


def _seal(turn: Turn, box: BallotBox, prefetched: Prefetched) -> TooEarly | BoxLost | Sealed:
    """Seal at the deadline; retry for at most MAX_EARLY_WAIT_MS if the box says that it is too early."""
    patient_until = time.monotonic() + MAX_EARLY_WAIT_MS / 1000
    while True:
        sealed = box.seal(to_boxed_turn(turn), prefetched)
        if not isinstance(sealed, TooEarly) or time.monotonic() >= patient_until:
            return sealed
        if not wait_if_near(sealed.closes_at, box):
            return sealed


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


def _publish_seal(
    turn: Turn, position: Position, sealed: Sealed, leaves: Mapping[int, bytes]
) -> CommittedBallots | None:
    """Commit to the ballots before anything that depends on the count. None: the turn was changed."""
    ballots = sealed.ballots
    if turn.stored_ballots.exists():  # of a long window, or a show of hands
        ballots = merge_ballots(ballots, load_stored_ballots(turn))
    side_changes = load_side_changes(turn.match) if turn.match.max_side_changes else ()
    if side_changes:
        ballots = reassign_sides(ballots, current_sides(side_changes))
    by_side = sort_sides(turn, ballots_by_side(position, ballots), leaves)
    if turn.match.max_side_changes:
        seal = _commit_secretly(turn, by_side, side_changes, sealed.sealed_at)
    else:
        seal = commit_openly(turn, by_side, sealed.sealed_at)
    message = record_seal(turn, seal.message)
    if message is None:
        return None
    publish_now(turn.match.event_id, message)
    return CommittedBallots(by_side, side_changes, seal._replace(message=message))


def _resolve(
    turn: Turn, position: Position, committed: CommittedBallots, box: BallotBox, reveal_at: int
) -> None:
    by_side, side_changes, seal = committed
    box.closing_lease.renew(turn.pk)
    deserted = None
    if side_changes:
        cast = chain.from_iterable(side.ballots for side in by_side.values())
        deserted = secret_sides.find_deserted_side(turn.match, cast, side_changes)
    outcome = decide_outcome(turn, position, by_side, deserted)
    time_used = {} if turn.match.bank_s is None else clocks.time_used(turn, position, box)
    started = time.monotonic()
    # The reveal begins now, after the count. A cluster's nodes differ, and clocks can be set back.
    now = max(box.now(), seal.message.at)
    following = _commit_outcome(turn, outcome, seal, now, time_used)
    written = now + (time.monotonic() - started) * 1000
    relay(turn.match.event_id)
    if following:  # the reveal was relayed first, and the turn may have been changed since
        following.refresh_from_db(fields=BOX_FIELDS)
        place_turn(following, box, create=True)
    if turn.state in CLOSED_STATES:
        record_metrics(turn, outcome, written, reveal_at)
        box.expire(turn.match.event_id, turn.pk)


def sort_sides(
    turn: Turn, arrived: dict[Side, Sequence[Ballot]], leaves: Mapping[int, bytes] = NO_LEAVES
) -> dict[Side, SortedBallots]:
    """Sort each side's ballots, which are in order of arrival. `leaves` are leaf hashes known by arrival."""
    is_first = turn.match.tie_rule == TieRule.FIRST
    return {
        side: sort_ballots(turn.pk, side, ballots, leaves, commit_order=is_first)
        for side, ballots in arrived.items()
    }


def _commit_secretly(
    turn: Turn, by_side: dict[Side, SortedBallots], side_changes: Sequence[SideChange], sealed_at: int
) -> SealCommitment:
    """Commit to the ballots of both sides and to the side changes together."""
    new = [change for change in side_changes if change.turn == turn.number]
    roots = {side: cast.commitment.root for side, cast in by_side.items()}
    turn_commitment = commit_secretly(turn.pk, roots, new)
    message = protocol.TurnSealed(
        turn=turn.pk,
        at=sealed_at,
        epoch=turn.epoch,
        red=None,
        yellow=None,
        turn_commitment=turn_commitment,
    )
    return SealCommitment(message, roots)


def commit_openly(turn: Turn, by_side: dict[Side, SortedBallots], sealed_at: int) -> SealCommitment:
    """Commit to the ballots of each side, which is public."""
    commitments = {side: cast.commitment for side, cast in by_side.items()}
    red, yellow = commitments.get("red"), commitments.get("yellow")
    message = protocol.TurnSealed(turn=turn.pk, at=sealed_at, epoch=turn.epoch, red=red, yellow=yellow)
    return SealCommitment(message, {side: commitment.root for side, commitment in commitments.items()})


def record_metrics(turn: Turn, outcome: TurnOutcome, committed: float, reveal_at: int) -> None:
    """Record metrics of a turn `committed` at this time (Unix ms), and log what is public by now.

    `reveal_at` is when it was to be revealed: its deadline, unless it waited for the host.
    """
    sealed_ms = (turn.sealed_at or 0) - turn.closes_at
    resolved_ms = committed - reveal_at
    CLOSE_LAG_S.observe(max(0, sealed_ms) / 1000)
    RESOLVE_LAG_S.observe(max(0.0, resolved_ms) / 1000)
    event, ballots = turn.match.event_id, sum(map(len, outcome.ballots.values()))
    fields = {"event": event, "turn": turn.pk, "ballots": ballots}
    log.info(
        "turn %s of event %s closed, ballots: %s; sealed %.0f ms and resolved %.0f ms after it was due",
        *(turn.pk, event, ballots, sealed_ms, resolved_ms),
        extra=fields | {"sealed_ms": sealed_ms, "resolved_ms": round(resolved_ms)},
    )
    if outcome.ended_by:
        log_match("ended", turn.match)


def _commit_outcome(
    turn: Turn, outcome: TurnOutcome, seal: SealCommitment, now: int, time_used: dict[str, int]
) -> Turn | None:
    """Write the outcome in one transaction. Returns the next turn.

    Returns None if the match ended or another process wrote first.
    """
    picks = outcome.picks
    concealed = outcome.is_concealed
    closed = (
        {"state": TurnState.CONCEALED} if concealed else {"state": TurnState.RESOLVED, "resolved_at": now}
    )
    with event_lock(turn.match.event_id):
        if not claim_turn(
            turn,
            red_pick=picks.red,
            yellow_pick=picks.yellow,
            sealed_at=seal.message.at,
            turn_commitment=seal.message.turn_commitment or "",
            **closed,
            **time_used,
        ):
            return None
        revealed = _record_tallies(turn, outcome, seal.roots)
        if outcome.before.concealed and not concealed:
            turn.match.turns.filter(state=TurnState.CONCEALED).update(**closed)
        following = None
        if outcome.ended_by:
            _end_match(turn.match, outcome, revealed, now)
        else:
            over_ms = plan_reveal(turn.match, outcome.resolution, revealed).over
            pause_ms = pause_after_reveal_ms(turn.match, outcome.before.state)
            lead_ms = window.START_LEAD_MS if concealed else over_ms + pause_ms
            is_paused = outcome.is_empty and is_idle(turn.match.event)
            following = plan_turn(turn.match, turn, outcome.to_move, now, None if is_paused else lead_ms)
        announce(turn.match.event_id, protocol.TurnConcealed if concealed else protocol.TurnRevealed, now)
    return following


def _record_tallies(turn: Turn, outcome: TurnOutcome, roots: dict[Side, str]) -> list[TallyRecord]:
    """Write the turn's tallies. Return them with those of a turn that is revealed together with this one."""
    records = TallyRecord.objects.bulk_create(build_tallies(turn, outcome, roots))
    concealed = outcome.before.concealed
    return [*records, *concealed.tallies.all()] if concealed else records


def build_tallies(turn: Turn, outcome: TurnOutcome, roots: dict[Side, str]) -> list[TallyRecord]:
    """Return the turn's tallies, not saved yet. `roots` are the Merkle roots of the sides."""
    return [
        TallyRecord(
            turn=turn,
            side=side,
            sealed=pack_ballots(outcome.ballots[side]),
            is_sorted=True,
            captain=outcome.captains[side],
            **asdict(replace(decision, root=roots[side])),
        )
        for side, decision in outcome.decisions.items()
    ]


def _end_match(match: Match, outcome: TurnOutcome, revealed: Sequence[TallyRecord], now: int) -> None:
    """End the match.

    Schedule the next one if the event starts matches automatically, people voted, and no series is decided.
    """
    end_match(match, outcome.result, cast(str, outcome.ended_by), now)
    match_ended.send(Match, match=match)
    if match.max_side_changes:
        secret_sides.save_sides_record(match)
    pause_s = match.event.next_match_after_s
    if pause_s is not None and not is_idle(match.event) and not _current_series(match.event).winner:
        over_ms = plan_reveal(match, outcome.resolution, revealed).over
        next_at = now + over_ms + pause_s * 1000
        Event.objects.filter(pk=match.event_id).update(next_match_at=next_at)


def _current_series(event: Event) -> Series:
    ended = event.matches.filter(state=MatchState.ENDED).order_by("number")
    rows = ended.values_list("result", "red__number", "yellow__number")
    return current_series((winning_team(*row) for row in rows), event.best_of)
