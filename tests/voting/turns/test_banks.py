from typing import Any

import pytest

from crowdgame.events.models import AuditEntry
from crowdgame.organizer.console.actions import ACTIONS
from crowdgame.organizer.console.audit_log import add_audit_entry, find_undo
from games.engine.game import Side
from tests.voting.action_helpers import done_by, event_of, press, refused
from tests.voting.box_helpers import ask
from tests.voting.match_helpers import kinds, only_turn, start, tally_of
from tests.voting.sample_matches import record_of
from tests.voting.turns.conftest import cast_at_gateway
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import PresenceCounts, Storing
from voting.counting.ballots import Ballot
from voting.counting.window import EXTENSION_MS, MIN_RESTORED_MS
from voting.matches import claim_turn
from voting.models import Match, MatchResult, Turn, TurnState
from voting.protocol import Clocks
from voting.records.recount import find_faults
from voting.terms import Ending, MatchState
from voting.turns.closing import close_turn
from voting.turns.early_close import close_turn_early
from voting.turns.restoring import restore_turn
from voting.turns.turns import load_turn, to_boxed_turn

MOST_A_PICK, MOST_A_CLOSE = 16, 31
BLITZ = {"bank_s": 60, "increment_s": 2, "window_s": 60, "close_early": True, "no_ballot_rule": "forfeit"}
CROWD = {"crowd_clocks": True, "increment_s": 5, "close_early": False}


def begin(box: BallotBox, **choices: Any) -> Turn:
    return age(start(box, **(BLITZ | choices)), box, 0)


def age(turn: Turn, box: BallotBox, ms: int, **banks: int) -> Turn:
    turn = load_turn(turn.pk)
    length = turn.closes_at - turn.opens_at
    if banks:
        length = min(banks.get(f"{side}_bank_ms", length) for side in ("red", "yellow"))
    opens_at = box.now() - ms
    assert claim_turn(turn, opens_at=opens_at, closes_at=opens_at + length, **banks)
    box.place(to_boxed_turn(turn), create=False)
    return load_turn(turn.pk)


def pick(turn: Turn, side: Side, choice: int, sequence: int = 1, *, voter: str = "") -> None:
    """Cast through a gateway: ballots restored into a lost box would have no time."""
    cast_at_gateway(turn, Ballot(voter or side, side, choice, sequence, blind="0" * 32))


def closed_early(turn: Turn, box: BallotBox) -> Turn:
    close_turn_early(turn.pk, turn.closes_at, box)
    return load_turn(turn.pk)


def test_turn_closes_once_both_picked_and_charges_each_side(box: BallotBox) -> None:
    turn = age(begin(box), box, 1_000)
    pick(turn, "red", 3)
    assert closed_early(turn, box).state == TurnState.OPEN
    turn = age(turn, box, 9_000)
    pick(turn, "red", 4, sequence=2)
    pick(turn, "yellow", 4)
    after = closed_early(turn, box)
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 4, 4)
    following = only_turn(turn.match)
    used = (after.red_used_ms or 0, after.yellow_used_ms or 0)
    assert all(9_000 <= used_ms < 30_000 for used_ms in used), "a changed pick costs the time until then"
    left = (following.red_bank_ms or 0, following.yellow_bank_ms or 0)
    assert [bank + took for bank, took in zip(left, used, strict=True)] == [62_000, 62_000]
    assert following.closes_at - following.opens_at == min(left)


def test_pick_extends_turn_to_other_time_bank(box: BallotBox, django_assert_max_num_queries: Any) -> None:
    """Thousands of duels close this way, so each query counts."""
    turn = age(begin(box), box, 1_000, red_bank_ms=10_000, yellow_bank_ms=50_000)
    assert turn.closes_at - turn.opens_at == 10_000
    pick(turn, "red", 3)
    with django_assert_max_num_queries(MOST_A_PICK):
        close_turn_early(turn.pk, turn.closes_at, box)
    moved = load_turn(turn.pk)
    assert (moved.state, moved.closes_at - moved.opens_at) == (TurnState.OPEN, 50_000)
    assert kinds(turn.match.event_id)[-1] == "turn.moved"
    pick(turn, "yellow", 4)
    with django_assert_max_num_queries(MOST_A_CLOSE):
        close_turn_early(turn.pk, turn.closes_at, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED


def test_close_turn_extends_turn_after_unnoticed_pick(box: BallotBox) -> None:
    """The early-close request of the gateway was lost or came too late."""
    turn = age(begin(box), box, 1_000, red_bank_ms=10_000, yellow_bank_ms=50_000)
    pick(turn, "red", 3)
    turn = age(turn, box, 10_100)
    close_turn(turn.pk, box)
    moved = load_turn(turn.pk)
    assert (moved.state, moved.closes_at - moved.opens_at) == (TurnState.OPEN, 50_000)
    pick(moved, "red", 4, sequence=2)
    pick(moved, "yellow", 3)
    after = closed_early(moved, box)
    assert (after.state, after.red_pick) == (TurnState.RESOLVED, 3), "red was out of time to change its pick"


@pytest.mark.parametrize(
    ("red_ms", "yellow_ms", "picks", "result"),
    [
        (10_000, 50_000, [], MatchResult.YELLOW),
        (10_000, 10_000, [], MatchResult.DRAW),
        (50_000, 10_000, ["red"], MatchResult.RED),
    ],
)
def test_time_out_loses(box: BallotBox, red_ms: int, yellow_ms: int, picks: list[Side], result: str) -> None:
    turn = age(begin(box), box, 1_000, red_bank_ms=red_ms, yellow_bank_ms=yellow_ms)
    for side in picks:
        pick(turn, side, 3)
    turn = age(turn, box, 30_000)  # closed late; the deadline that applied counts
    close_turn(turn.pk, box)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.state, match.result, match.ended_by) == (MatchState.ENDED, result, Ending.TIME)
    assert load_turn(turn.pk).red_pick is None
    assert find_faults(record_of(match)) == []


def test_side_out_of_time_gets_random_column_without_forfeit_rule(box: BallotBox) -> None:
    turn = begin(box, no_ballot_rule="random")
    assert claim_turn(turn, red_bank_ms=10_000, closes_at=turn.opens_at + 60_000)
    turn = age(turn, box, 20_000)
    pick(turn, "yellow", 3)
    after = closed_early(turn, box)
    assert (after.state, tally_of(turn, "red").decided_by) == (TurnState.RESOLVED, "random")
    assert Match.objects.get(pk=turn.match_id).state == MatchState.PLAYING
    assert (after.red_used_ms, only_turn(turn.match).red_bank_ms) == (10_000, 2_000)


def test_organizer_can_void_timed_turn_but_not_change_its_time(box: BallotBox) -> None:
    turn = age(begin(box, cap_s=30), box, 5_000)
    for action in (name for name, one in ACTIONS.items() if "turn" in one.parameters):
        with refused("not paused" if action == "turn.resume" else "players' clocks"):
            press(event_of(turn), action, box)
    for side in ("red", "yellow"):
        pick(turn, side, 3)
    resolved = closed_early(turn, box)
    press(event_of(turn), "turn.void", box, turn=resolved.pk)
    again = only_turn(turn.match)
    assert (again.number, again.red_bank_ms, again.yellow_bank_ms) == (1, 60_000, 60_000)
    Turn.objects.filter(pk=again.pk).update(red_bank_ms=50_000)
    match: Any = load_snapshot(turn.match.event).match
    assert match.clocks == Clocks(bank_s=60, increment_s=2, cap_s=30, red_ms=50_000, yellow_ms=60_000)


def test_match_paused_because_nobody_voted_can_be_resumed(box: BallotBox) -> None:
    turn = begin(box, crowd_clocks=True, close_early=False, no_ballot_rule="random")
    for _ in range(2):
        close_turn(age(turn, box, 60_000).pk, box)
        turn = only_turn(turn.match)
    assert turn.state == TurnState.PAUSED
    for action in ("turn.pause", "turn.extend"):
        with refused("players' clocks"):
            press(event_of(turn), action, box)
    add_audit_entry(event_of(turn), "olga", done_by(event_of(turn), "turn.resume", box), box.now())
    turn = load_turn(turn.pk)
    assert (turn.state, turn.closes_at - turn.opens_at) == (TurnState.OPEN, turn.red_bank_ms)
    with refused("can't be undone"):
        find_undo(event_of(turn), AuditEntry.objects.get().pk, box.now(), rehearsing=False)


def test_lost_box_costs_no_time(box: BallotBox) -> None:
    turn = age(begin(box), box, 55_000)
    box.delete_all_events()
    turn = age(turn, box, 60_000)
    close_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.state, restored.epoch) == (TurnState.OPEN, 2)
    assert restored.closes_at - restored.opens_at == 60_000
    assert 8_000 < restored.closes_at - box.now() <= MIN_RESTORED_MS + EXTENSION_MS
    pick(restored, "red", 1)
    pick(restored, "yellow", 2)
    assert closed_early(restored, box).state == TurnState.OPEN, "it lasts at least ten seconds"
    Turn.objects.update(box_lost_at=None)
    assert closed_early(restored, box).state == TurnState.RESOLVED


def test_lost_box_keeps_the_time_of_a_pick(box: BallotBox) -> None:
    turn = age(begin(box), box, 20_000)
    ballot = Ballot("red", "red", 3, 1, blind="0" * 32)
    assert cast_at_gateway(turn, ballot).stored == Storing.SOON, "stored, but the answer needs no database"
    store_ballots(turn.pk, [ballot], turn.opens_at + 15_000)
    box.delete_all_events()
    restore_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.opens_at - turn.opens_at, restored.closes_at - turn.closes_at) == (MIN_RESTORED_MS,) * 2
    cast_at_gateway(restored, ballot)
    pick(restored, "yellow", 4)
    Turn.objects.update(box_lost_at=None)
    after = closed_early(restored, box)
    assert (after.state, after.red_used_ms) == (TurnState.RESOLVED, 15_000 - MIN_RESTORED_MS)


def heartbeat(turn: Turn, red: int, yellow: int, phones: tuple[int, int] = (2, 2)) -> tuple[int, int]:
    """The heartbeat of a gateway, of whose phones `red` and `yellow` have yet to vote; when all had voted."""
    present = PresenceCounts(phones, (red, yellow))
    asked = (turn.pk, turn.epoch)
    return ask(lambda box: box.heartbeat(turn.match.event_id, "a", asked, present)).all_voted_at


def test_crowd_clock_runs_until_all_of_side_voted(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    for side in ("red", "yellow"):
        pick(turn, side, 1)
    assert heartbeat(turn, 1, 1) == (0, 0)
    assert closed_early(turn, box).state == TurnState.OPEN
    assert load_turn(turn.pk).closes_at == turn.closes_at
    assert heartbeat(turn, 0, 1)[0], "all of red have voted"
    assert heartbeat(turn, 1, 1) == (0, 0), "a voter joined late"
    assert box.all_voted_at(turn.match.event_id, turn.pk) == {}
    assert heartbeat(turn, 0, 2, phones=(1, 2)) == (0, 0), "a voter has just disconnected"


def test_crowd_clock_charges_time_until_last_vote(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    pick(turn, "red", 1)
    turn = age(turn, box, 4_000)
    pick(turn, "red", 2, voter="r2")
    assert heartbeat(turn, 0, 2)[0] > 0
    turn = age(closed_early(turn, box), box, 20_000)
    for voter in ("y1", "y2"):
        pick(turn, "yellow", 1, voter=voter)
    assert all(heartbeat(turn, 0, 0))
    after = closed_early(turn, box)
    assert after.state == TurnState.RESOLVED
    assert after.yellow_used_ms == pytest.approx(20_000, abs=8_000)
    assert after.red_used_ms is not None
    assert after.red_used_ms < 20_000
    assert only_turn(turn.match).red_bank_ms == 60_000 - after.red_used_ms + 5_000


@pytest.mark.parametrize("stored", [False, True])
def test_lost_box_charges_crowds_from_the_restoration_on(stored: bool, box: BallotBox) -> None:
    turn = begin(box, **CROWD, store_ballots=stored)
    ballot = Ballot("red", "red", 1, 1, blind="0" * 32)
    turn = age(turn, box, 30_000)
    if cast_at_gateway(turn, ballot).stored:
        store_ballots(turn.pk, [ballot], box.now())
    assert heartbeat(turn, 0, 2)[0]
    box.delete_all_events()
    restore_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert restored.opens_at - turn.opens_at == restored.closes_at - turn.closes_at >= 30_000
    cast_at_gateway(restored, ballot)
    finished_at = [heartbeat(restored, 0, 2)[0] for _ in range(2)]
    assert finished_at[0] == finished_at[1] >= restored.opens_at, "its clock stands"
    pick(restored, "yellow", 4)
    heartbeat(restored, 0, 0)
    Turn.objects.update(box_lost_at=None)
    after = closed_early(restored, box)
    assert (after.state, after.red_used_ms) == (TurnState.RESOLVED, finished_at[0] - restored.opens_at)


@pytest.mark.parametrize(
    ("sides", "yellow_used_ms", "picks", "ended"),
    [
        (("red", "yellow"), 5_000, (4, 4), (None, None)),
        (("yellow",), 5_000, (None, None), ("yellow", Ending.TIME)),
        (("red",), 60_000, (None, None), ("red", Ending.TIME)),
    ],
)
def test_crowd_clock_running_out_counts_votes_so_far(
    sides: tuple[Side, ...],
    yellow_used_ms: int,
    picks: tuple[int, ...],
    ended: tuple[str, ...],
    box: BallotBox,
) -> None:
    """A side without ballots may use all of its time after that of a side with some."""
    turn = begin(box, **CROWD)
    for side in sides:
        pick(turn, side, 4)
    heartbeat(turn, 1, 1)
    turn = age(turn, box, 60_000, red_bank_ms=5_000, yellow_bank_ms=60_000)
    for _ in range(2):  # the first call may only move the deadline
        close_turn(turn.pk, box)
    after, match = load_turn(turn.pk), Match.objects.get(pk=turn.match_id)
    assert after.state == TurnState.RESOLVED
    assert (after.red_used_ms, after.yellow_used_ms) == (5_000, yellow_used_ms)
    assert (after.red_pick, after.yellow_pick) == picks
    assert (match.result, match.ended_by) == ended
    assert find_faults(record_of(match)) == []
