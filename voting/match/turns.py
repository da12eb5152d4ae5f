"""Start a match, close a turn, give a lost turn back: each once, whatever dies.

Attempts at least once, frozen input, a deterministic engine, one compare-and-set in the database.
"""

import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

from redis import RedisError

from games.engine.errors import GameError
from games.engine.game import Side
from games.matches import (
    MatchError,
    Position,
    changing,
    claim_turn,
    create_match,
    create_turn,
    end_match,
    is_playing,
    position_of,
)
from games.models import CLOSED_STATES, Event, Lobby, Match, MatchState, TallyMethod, Turn, TurnState
from voting import protocol
from voting.box.archive import stored_ballots
from voting.box.ballot_box import BallotBox
from voting.box.boxed import BoxedTurn, Early, Lost, Sealed
from voting.counting import window
from voting.counting.ballots import Ballot, merge_ballots, pack_ballots
from voting.counting.choices import MOST_IN_A_SET
from voting.counting.commitments import commit_ballots, turn_sealed
from voting.counting.series import Series, standing
from voting.counting.sides import Crossing, seal_secretly
from voting.counting.window import Window
from voting.fanout.announcements import announce, relay, tell_at_once
from voting.match import banks, sides
from voting.match.outcomes import Outcome, ballots_by_side, decide_outcome
from voting.metrics.figures import CLOSE_LAG_S, RESOLVE_LAG_S
from voting.models import TallyRecord
from voting.rating.matches import rate_match

log = logging.getLogger(__name__)

PATIENCE_MS = 250


class Seal(NamedTuple):
    """What is told of sealed ballots, and what they are committed to, a side."""

    told: protocol.TurnSealed
    roots: dict[Side, str]


def boxed(turn: Turn) -> BoxedTurn:
    times = (turn.opens_at, turn.closes_at)
    return BoxedTurn(turn.match.event_id, turn.pk, turn.version, turn.epoch, *times, **banks.ends_at(turn))


def load_turn(turn_id: int) -> Turn:
    return Turn.objects.select_related("match__event", "match__red", "match__yellow").get(pk=turn_id)


def start_match(event_id: int, box: BallotBox) -> Match:
    """Start the event's next match; the lobby opens with it. Raises MatchError."""
    now = box.now()
    with changing(event_id) as event:
        match = create_match(event, now)
        _check_choices(match)
        turn = plan_turn(match, 1, now, window.START_LEAD_MS)
        lobby = Lobby.OPEN if event.lobby == Lobby.CLOSED else event.lobby
        Event.objects.filter(pk=event_id).update(next_match_at=None, lobby=lobby)
        announce(event_id, protocol.MatchStarted, now)
    place_and_tell(turn, box, create=True)
    _log_match("started", match)
    return match


def _check_choices(match: Match) -> None:
    """Raises MatchError if a ballot cannot say all that there is to choose from."""
    position = position_of(match)
    choices = position.game.view(position.state, None).columns
    if match.tally_method == TallyMethod.APPROVAL and choices > MOST_IN_A_SET:
        raise MatchError(f"Approval is for up to {MOST_IN_A_SET} choices; this game has {choices}.")


def start_due_match(event_id: int, box: BallotBox) -> None:
    """Start the match whose time has come; of several clocks that ask, one starts it.

    One that cannot start is not due any more, even if nobody can be told.
    """
    now = box.now()
    due = Event.objects.filter(pk=event_id, next_match_at__lte=now)
    try:
        if due.exists():
            start_match(event_id, box)
    except (MatchError, GameError):
        if due.update(next_match_at=None):
            with changing(event_id):
                announce(event_id, protocol.EventEdited, now)
            relay(event_id)


def close_turn(turn_id: int, box: BallotBox) -> None:
    """Seal, commit, recount, decide, resolve, write, tell. Nothing happens before the deadline or twice."""
    turn = load_turn(turn_id)
    if turn.state != TurnState.OPEN:
        return
    position = position_of(turn.match, before=turn)
    if not _is_over_by_clocks(turn, position, box):
        return
    sealed = _seal(turn, box)
    if isinstance(sealed, Lost):
        restore_turn(turn_id, box)
    elif isinstance(sealed, Sealed):
        _resolve(turn, position, sealed, box)


def _is_over_by_clocks(turn: Turn, position: Position, box: BallotBox) -> bool:
    """In a match by clocks: whether it is over at its deadline. Else that moves to where it is by now.

    Whoever has time left is waited for, if the other has picked in its own.
    """
    if turn.match.bank_s is None:
        return True
    left_ms = turn.closes_at - box.now()
    if left_ms > PATIENCE_MS:
        return False
    time.sleep(max(0, left_ms) / 1000)  # whoever closes is sent a moment early, and a pick may come in it
    over_at = banks.over_at(turn, position, box)
    if over_at > turn.closes_at:
        with suppress(MatchError):
            change_turn(turn, protocol.TurnMoved, box, closes_at=over_at)
        return False
    return True


def change_turn(turn: Turn, kind: type[protocol.Change], box: BallotBox, **changes: Any) -> None:
    """Write what changes of a live turn, and tell. Raises MatchError if somebody wrote it meanwhile."""
    now = box.now()
    with changing(turn.match.event_id):
        if not claim_turn(turn, **changes):
            raise MatchError("Somebody else was faster.")
        announce(turn.match.event_id, kind, now)
    place_and_tell(turn, box, create=False)


def _seal(turn: Turn, box: BallotBox) -> Early | Lost | Sealed:
    """Seal at the deadline; one that is only a moment away is waited for.

    The clock sends whoever closes a moment early, and the clocks of a cluster's nodes differ.
    """
    patient_until = time.monotonic() + PATIENCE_MS / 1000
    while isinstance(sealed := box.seal(boxed(turn)), Early):
        left_ms = max(1, sealed.closes_at - box.now())
        if time.monotonic() + left_ms / 1000 > patient_until:
            break
        time.sleep(left_ms / 1000)
    return sealed


def _resolve(turn: Turn, position: Position, sealed: Sealed, box: BallotBox) -> None:
    stored = stored_ballots(turn)
    ballots = merge_ballots(sealed.ballots, stored) if stored else sealed.ballots
    changes = sides.changes_before(turn)
    by_side = ballots_by_side(position, sides.sort_by_side(ballots, changes))
    seal = _tell_seal(turn, by_side, changes, sealed.sealed_at)
    asked = time.monotonic()
    now = max(box.now(), seal.told.at)  # a cluster's nodes differ, and clocks are set
    deserted = sides.find_deserted(turn, [one for cast in by_side.values() for one in cast], changes)
    outcome = decide_outcome(turn, position, by_side, deserted)
    following = _write(turn, outcome, seal, now, banks.used(turn, position, box))
    committed = now + (time.monotonic() - asked) * 1000
    relay(turn.match.event_id)
    if following:  # what everybody waits for came first, and somebody may have moved it by now
        _place(load_turn(following.pk), box, create=True)
    if turn.state in CLOSED_STATES:
        _account(turn, outcome, committed)
        box.expire(turn.match.event_id, turn.pk)


def _tell_seal(
    turn: Turn, by_side: dict[Side, Sequence[Ballot]], changes: Sequence[Crossing], sealed_at: int
) -> Seal:
    """Commit to the ballots before anything of what they come to is known."""
    if turn.match.defections:
        new = [change for change in changes if change.turn == turn.number]
        seal = Seal(*seal_secretly(turn.pk, sealed_at, by_side, new))
    else:
        commitments = {side: commit_ballots(turn.pk, side, cast) for side, cast in by_side.items()}
        roots = {side: commitment.root for side, commitment in commitments.items()}
        seal = Seal(turn_sealed(turn.pk, sealed_at, commitments), roots)
    tell_at_once(turn.match.event_id, seal.told)
    return seal


def _account(turn: Turn, outcome: Outcome, committed: float) -> None:
    """Say for whoever watches what is public by now."""
    sealed_ms = (turn.sealed_at or 0) - turn.closes_at
    resolved_ms = committed - turn.closes_at
    CLOSE_LAG_S.observe(max(0, sealed_ms) / 1000)
    RESOLVE_LAG_S.observe(max(0.0, resolved_ms) / 1000)
    event, ballots = turn.match.event_id, sum(map(len, outcome.ballots.values()))
    known = {"event": event, "turn": turn.pk, "ballots": ballots}
    log.info(
        "turn %s of event %s closed, ballots: %s; sealed %.0f ms and resolved %.0f ms after its deadline",
        *(turn.pk, event, ballots, sealed_ms, resolved_ms),
        extra=known | {"sealed_ms": sealed_ms, "resolved_ms": round(resolved_ms)},
    )
    if outcome.ended_by:
        _log_match("ended", turn.match)


def _log_match(what: str, match: Match) -> None:
    extra = {"event": match.event_id, "match": match.pk}
    log.info("match %s of event %s %s", match.number, match.event_id, what, extra=extra)


def restore_turn(turn_id: int, box: BallotBox) -> None:
    """Put a turn that the box lost back into it: phones send again, and get the time for it."""
    turn = load_turn(turn_id)
    if turn.state != TurnState.OPEN or box.place(boxed(turn), create=False):
        return
    now = box.now()
    before = Window(turn.opens_at, turn.closes_at)
    times = window.restore_window(before, now, turn.match.window_s)
    if turn.match.bank_s is not None:  # nobody's clock ran meanwhile
        times = window.shift_window(before, times.closes_at - before.closes_at)
    with changing(turn.match.event_id):
        if not claim_turn(turn, opens_at=times.opens_at, closes_at=times.closes_at, epoch=turn.epoch + 1):
            return
        announce(turn.match.event_id, protocol.TurnRestored, now)
    box.place(boxed(turn), create=True)
    box.cast(boxed(turn), stored_ballots(turn, hands=False))
    relay(turn.match.event_id)
    extra = {"event": turn.match.event_id, "turn": turn.pk}
    log.warning("the ballot box lost turn %s: phones send their ballots again", turn.pk, extra=extra)


def place_and_tell(turn: Turn, box: BallotBox, *, create: bool) -> None:
    """Bring box and screens up to what is committed."""
    _place(turn, box, create=create)
    relay(turn.match.event_id)


def _place(turn: Turn, box: BallotBox, *, create: bool) -> None:
    """If the box is away, the clock does it soon."""
    try:
        box.place(boxed(turn), create=create)
    except RedisError as trouble:
        log.warning("turn %s waits for the ballot box: %s", turn.pk, trouble, extra={"turn": turn.pk})


def _write(turn: Turn, outcome: Outcome, seal: Seal, now: int, used: dict[str, int]) -> Turn | None:
    """The one transaction of a turn; the next turn, if there is one and nobody else wrote first."""
    picks = outcome.picks
    kept = outcome.is_concealed
    closed = {"state": TurnState.CONCEALED} if kept else {"state": TurnState.RESOLVED, "resolved_at": now}
    with changing(turn.match.event_id):
        if not is_playing(turn.match) or not claim_turn(
            turn,
            red_pick=picks.red,
            yellow_pick=picks.yellow,
            sealed_at=seal.told.at,
            whole=seal.told.whole or "",
            **closed,
            **used,
        ):
            return None
        for side in outcome.decisions:
            _record_tally(turn, side, outcome, seal.roots[side])
        if not kept:
            turn.match.turns.filter(state=TurnState.CONCEALED).update(**closed)
        following = None
        if outcome.ended_by:
            _end(turn.match, outcome, now)
        else:
            lead_ms = window.START_LEAD_MS if kept else turn.match.reveal_s * 1000
            following = plan_turn(turn.match, turn.number + 1, now, lead_ms)
        announce(turn.match.event_id, protocol.TurnConcealed if kept else protocol.TurnRevealed, now)
    return following


def _record_tally(turn: Turn, side: Side, outcome: Outcome, root: str) -> None:
    decision = outcome.decisions[side]
    TallyRecord.objects.create(
        turn=turn,
        side=side,
        counts=decision.counts,
        ballots=decision.ballots,
        pick=decision.pick,
        decided_by=decision.decided_by,
        sealed=pack_ballots(outcome.ballots[side]),
        root=root,
        rounds=decision.rounds or None,
        resigning=decision.resigning,
        captain=outcome.captains[side],
    )


def _end(match: Match, outcome: Outcome, now: int) -> None:
    """The next one begins by itself if the event says so, and no series is decided."""
    end_match(match, outcome.result, cast(str, outcome.ended_by), now)
    rate_match(match)
    sides.keep_story(match)
    pause_s = match.event.next_match_after_s
    if pause_s is not None and not _series(match.event).winner:
        next_at = now + (match.reveal_s + pause_s) * 1000
        Event.objects.filter(pk=match.event_id).update(next_match_at=next_at)


def _series(event: Event) -> Series:
    ended = event.matches.filter(state=MatchState.ENDED).order_by("number")
    rows = ended.values_list("result", "red__number", "yellow__number")
    winners = ({"red": red, "yellow": yellow}.get(str(result)) for result, red, yellow in rows)
    return standing(winners, event.best_of)


def plan_turn(match: Match, number: int, now: int, lead_ms: int) -> Turn:
    """A turn to be voted, after the lead and the match's time to talk. Call it within `changing`."""
    extra_s = Event.objects.values_list("extra_s", flat=True).get(pk=match.event_id)
    times = window.open_window(now, lead_ms, match.window_s + extra_s, match.talk_s)
    left = banks.banks_before(match, number)
    if not left:
        return create_turn(match, number, times.opens_at, times.closes_at)
    closes_at = times.opens_at + banks.over_after(match, left, position_of(match))
    fields = {f"{side}_bank_ms": ms for side, ms in left.items()}
    return create_turn(match, number, times.opens_at, closes_at, **fields)
