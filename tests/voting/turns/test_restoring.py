from collections.abc import Sequence
from itertools import product

import pytest
from django.conf import settings
from redis import Redis

from tests.voting import match_helpers as helpers
from tests.voting.action_helpers import event_of, press
from tests.voting.box_helpers import cast, empty
from tests.voting.sample_matches import plain
from tests.voting.turns.conftest import cast_at_gateway, crashing, report
from voting.ballot_box.archive import load_stored_ballots, store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxRef, BoxState, CastResult, Storing
from voting.counting.ballots import Ballot
from voting.counting.window import MAX_RESTORED_MS, MIN_RESTORED_MS
from voting.matches import claim_turn
from voting.models import Turn, TurnState
from voting.turns import scheduler as scheduler_module
from voting.turns.closing import close_turn
from voting.turns.early_close import close_turn_early
from voting.turns.restoring import record_turnouts, restore_turn
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.time_steps import move_turn
from voting.turns.turns import load_turn, place_turn, to_boxed_turn

VOTED = helpers.ballots("red", [2, 2, 5])
BEFORE, AFTER = helpers.ballots("red", [3, 3]), helpers.ballots("yellow", [4])


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.turns.scheduler.WORKER_TIMEOUT_MS", 60_000)


def run_out(turn: Turn, box: BallotBox, ms: int) -> None:
    """Let `ms` pass without a scheduler, after which the time of the turn is up."""
    turn, now = load_turn(turn.pk), box.now()
    times = {"box_lost_at": turn.box_lost_at, "reached_at": turn.reached_at}
    before = {name: at - ms for name, at in times.items() if at is not None}
    assert claim_turn(turn, opens_at=now - 1_000, closes_at=now, **before)
    place_turn(turn, box, create=False)


def closed_after(turn: Turn, box: BallotBox, ms: int) -> Turn:
    run_out(turn, box, ms)
    close_turn(turn.pk, box)
    return load_turn(turn.pk)


def lost(box: BallotBox, **terms: object) -> Turn:
    """A turn in which three voters have voted, restored after the gateways died and the box lost it."""
    turn = helpers.start(box, **({"window_s": 4, "close_early": True} | terms))
    helpers.set_window(turn, box, -1_000, 3_000)
    assert cast(to_boxed_turn(turn), *VOTED) == [CastResult.OK] * 3
    turn = reached(turn, box, voters=3)
    empty()
    restore_turn(turn.pk, box)
    return load_turn(turn.pk)


def reached(turn: Turn, box: BallotBox, voters: int = 0) -> Turn:
    """The turn after a gateway with this many voters has been noticed."""
    report(turn, voters)
    DeadlineScheduler(box).run_once()
    return load_turn(turn.pk)


def test_restored_window_lasts_ten_seconds_from_first_gateway(box: BallotBox) -> None:
    turn = lost(box)
    assert (turn.most_voters, turn.most_ballots, turn.reached_at) == (3, 3, None)
    assert turn.closes_at >= (turn.box_lost_at or 0) + MIN_RESTORED_MS
    assert cast(to_boxed_turn(turn), VOTED[0]) == [CastResult.OK]
    run_out(turn, box, 0)
    repeated_later = [CastResult.DUPLICATE, CastResult.UNKNOWN]
    assert cast(to_boxed_turn(turn), *VOTED[:2]) == repeated_later
    before = box.now()
    turn = closed_after(turn, box, 20_000)
    assert (turn.state, turn.reached_at) == (TurnState.OPEN, None)
    assert turn.closes_at >= before + MIN_RESTORED_MS
    turn = reached(turn, box, voters=3)
    assert before <= (turn.reached_at or 0) <= box.now()
    assert turn.closes_at >= (turn.reached_at or 0) + MIN_RESTORED_MS
    assert helpers.kinds(event_of(turn))[-1] == "turn.moved"


def test_restored_window_waits_for_as_many_voters_and_ballots_as_before(box: BallotBox) -> None:
    turn = reached(lost(box), box)
    turn = closed_after(turn, box, MIN_RESTORED_MS)
    assert turn.state == TurnState.OPEN, "nobody is back"
    assert cast(to_boxed_turn(turn), *VOTED[:2]) == [CastResult.OK] * 2
    report(turn, 3)
    turn = closed_after(turn, box, 0)
    assert turn.state == TurnState.OPEN, "one voter's ballot is missing"
    assert cast(to_boxed_turn(turn), *VOTED[2:]) == [CastResult.OK]
    report(turn, 2)
    turn = closed_after(turn, box, 0)
    assert turn.state == TurnState.OPEN, "other voters may have cast these ballots"
    report(turn, 3)
    turn = closed_after(turn, box, 0)
    assert turn.state == TurnState.RESOLVED
    assert helpers.tally_of(turn, "red").ballots == 3
    assert cast(to_boxed_turn(turn), Ballot("late", "red", 1, 1)) == [CastResult.LATE]


def test_scheduler_extends_restored_window_and_clock_step_or_pause_moves_it(box: BallotBox) -> None:
    turn = reached(lost(box), box, voters=2)
    run_out(turn, box, MIN_RESTORED_MS)
    helpers.set_window(turn, box, -1_000, 1_500)
    DeadlineScheduler(box).run_once()
    turn = load_turn(turn.pk)
    assert turn.closes_at >= box.now() + 2_500
    move_turn(turn.pk, turn.version, 3_600_000, box.now(), box)
    moved = load_turn(turn.pk)
    assert (moved.box_lost_at or 0) - (turn.box_lost_at or 0) == 3_600_000
    assert (moved.reached_at or 0) - (turn.reached_at or 0) == 3_600_000
    press(event_of(turn), "turn.pause", box)
    Turn.objects.update(opens_at=box.now() - 60_000, closes_at=box.now() - 60_000)
    press(event_of(turn), "turn.resume", box)
    assert (load_turn(turn.pk).reached_at or 0) - (moved.reached_at or 0) >= 60_000


def test_unreachable_gateways_and_second_loss_restart_the_ten_seconds(box: BallotBox) -> None:
    """As after a frozen Valkey, in whose time the heartbeats are old."""
    turn = reached(lost(box), box, voters=1)
    empty()
    place_turn(turn, box, create=True)
    turn = closed_after(turn, box, MAX_RESTORED_MS)
    assert (turn.state, turn.reached_at) == (TurnState.OPEN, None)
    assert turn.closes_at >= box.now() + MIN_RESTORED_MS - 1_000
    turn = reached(turn, box, voters=1)
    assert turn.reached_at
    empty()
    restore_turn(turn.pk, box)
    turn = load_turn(turn.pk)
    assert (turn.epoch, turn.most_voters, turn.most_ballots, turn.reached_at) == (3, 3, 3, None)
    assert closed_after(reached(turn, box), box, MAX_RESTORED_MS).state == TurnState.RESOLVED, "in the end"


def test_early_close_waits_for_voters_of_restored_turn(box: BallotBox) -> None:
    turn = reached(lost(box), box, voters=1)
    cast(to_boxed_turn(turn), *VOTED[:1])
    close_turn_early(turn.pk, turn.closes_at, box)
    assert load_turn(turn.pk).state == TurnState.OPEN
    assert cast(to_boxed_turn(turn), *VOTED[1:]) == [CastResult.OK] * 2
    report(turn, 3)
    run_out(turn, box, MIN_RESTORED_MS)
    helpers.set_window(turn, box, -1_000, 60_000)
    close_turn_early(turn.pk, load_turn(turn.pk).closes_at, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED


@pytest.mark.parametrize("paused", [False, True])
def test_organizer_closes_restored_turn_without_absent_voters(paused: bool, box: BallotBox) -> None:
    turn = reached(lost(box), box, voters=1)
    cast(to_boxed_turn(turn), *VOTED[:1])
    for action in ("turn.pause", "turn.close")[not paused :]:
        press(event_of(turn), action, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    assert helpers.tally_of(turn, "red").ballots == 1


@pytest.mark.parametrize("crowd_clocks", [True, False])
def test_clocks_stop_while_voters_of_lost_box_return(crowd_clocks: bool, box: BallotBox) -> None:
    turn = reached(lost(box, bank_s=60, crowd_clocks=crowd_clocks, no_ballot_rule="forfeit"), box)
    turn = closed_after(turn, box, MIN_RESTORED_MS)
    assert (turn.state, turn.closes_at - turn.opens_at) == (TurnState.OPEN, 1_000), "the whole window moves"
    close_turn_early(turn.pk, turn.closes_at, box)
    assert load_turn(turn.pk).state == TurnState.OPEN


def test_turnout_to_wait_for_never_falls(box: BallotBox) -> None:
    turn = helpers.start(box)
    for voters, voted in ((3, 1), (2, 2), (0, 0)):
        record_turnouts({turn.pk: BoxState(True, voted, voters, 1)})
    after = helpers.only_turn(turn.match)
    assert (after.most_voters, after.most_ballots, after.version) == (3, 2, turn.version)


def stored_voters(turn: Turn) -> set[str]:
    return {ballot.voter for ballot in load_stored_ballots(turn)}


def test_extension_over_ten_minutes_stores_all_ballots(box: BallotBox) -> None:
    turn = helpers.start_open(box)
    press(event_of(turn), "turn.extend", box, seconds=30)
    assert not cast_at_gateway(load_turn(turn.pk), *BEFORE).stored
    assert stored_voters(turn) == set()
    press(event_of(turn), "turn.extend", box, seconds=270)
    extended = load_turn(turn.pk)
    assert extended.stored
    assert stored_voters(extended) == {"red1", "red2"}
    assert cast_at_gateway(extended, *AFTER).stored, "the gateway stores it before it answers"
    empty()
    close_turn_early(extended.pk, extended.closes_at, box)  # by a gateway that misses the box
    restored = load_turn(extended.pk)
    assert sum(box.ballot_counts(to_boxed_turn(restored)).values()) == 2
    assert restored.box_lost_at is None, "no voter has to return"
    helpers.play_out(restored, box)
    assert helpers.tally_of(restored, "red").ballots == 2
    assert not helpers.only_turn(restored.match).stored, "the next turn is short again"


@pytest.mark.parametrize("step", ["load_ballots", "confirm_stored"])
def test_scheduler_stores_ballots_if_the_extension_crashed(step: str, box: BallotBox) -> None:
    turn = helpers.start_open(box)
    cast_at_gateway(turn, *BEFORE)
    with crashing(BallotBox, step):
        press(event_of(turn), "turn.extend", box, seconds=300)
    assert cast_at_gateway(turn, *AFTER).stored
    DeadlineScheduler(box).run_once()
    assert stored_voters(turn) >= {"red1", "red2"}
    assert not box.find_inconsistent([to_boxed_turn(load_turn(turn.pk)).ref])


def test_resumed_turn_with_little_time_left_stays_stored(box: BallotBox) -> None:
    clocks = product((True, False), (60, 1_200))
    timed = [helpers.start(box, crowd_clocks=crowd, bank_s=bank_s) for crowd, bank_s in clocks]
    storing = [Storing.NOT, Storing.FIRST, Storing.SOON, Storing.FIRST]
    assert [to_boxed_turn(turn).stored for turn in timed] == storing
    turn = helpers.start(box, window_s=1_200)
    assert turn.stored
    helpers.set_window(turn, box, -1_000, 300_000)
    press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.resume", box)
    resumed = load_turn(turn.pk)
    assert resumed.closes_at - resumed.opens_at <= 300_000
    assert resumed.stored
    helpers.set_window(resumed, box, -1_000, 300_000)
    assert cast_at_gateway(resumed, *BEFORE).stored


@pytest.mark.parametrize("terms", [{}, {"bank_s": 60}, {"bank_s": 60, "cap_s": 20}])
def test_all_turns_are_stored_if_the_organizer_chose_so(terms: dict[str, int], box: BallotBox) -> None:
    turn = helpers.start_open(box, store_ballots=True, **terms)
    assert cast_at_gateway(turn, *BEFORE, *AFTER).stored, "the gateway stores them before it answers"
    store_ballots(turn.pk, [*BEFORE, *AFTER], box.now())
    empty()
    restore_turn(turn.pk, box)
    helpers.play_out(turn, box)
    assert (helpers.tally_of(turn, "red").ballots, helpers.tally_of(turn, "yellow").ballots) == (2, 1)
    assert plain(turn.match)["counts"][0]["restored"] == "database"
    assert helpers.only_turn(turn.match).stored


@pytest.mark.parametrize("apart_ms", [1, 0])
def test_scheduler_checks_windows(apart_ms: int, box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    iterations, inspect = list[set[int]](), box.inspect

    def watched(turns: Sequence[BoxRef]) -> dict[int, BoxState]:
        iterations[-1].update(turn.turn_id for turn in turns)
        return inspect(turns)

    monkeypatch.setattr(scheduler_module, "LONG_WINDOWS_PER_S", 2)
    monkeypatch.setattr(box, "inspect", watched)
    closes_at = box.now() + 24 * 3_600_000
    turns, near = [helpers.start(box, window_s=600) for _ in range(5)], helpers.start(box)
    for number, turn in enumerate(turns):
        Turn.objects.filter(pk=turn.pk).update(closes_at=closes_at + number * apart_ms)
    scheduler = DeadlineScheduler(box)
    for _ in range(6):
        iterations.append(set())
        scheduler.chores_at = 0.0
        scheduler.run_once()
    assert [len(checked) for checked in iterations] == [3, 3, 2] * 2
    for round_of_all in (iterations[:3], iterations[3:]):
        assert set.union(*round_of_all) == {near.pk, *(turn.pk for turn in turns)}
        assert set.intersection(*round_of_all) == {near.pk}


def test_doubtful_finds_boxes_that_need_repair(box: BallotBox) -> None:
    sound, stale, uneven, gone, older = (helpers.start(box) for _ in range(5))
    near = [to_boxed_turn(turn).ref for turn in (sound, stale, uneven, gone, older)]
    near[1] = near[1]._replace(version=stale.version + 1)
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.hset(to_boxed_turn(uneven).keys[0], "red", 1)
        redis.delete(to_boxed_turn(gone).keys[0])
        redis.hset(to_boxed_turn(older).keys[0], "older", 1)
    assert box.find_inconsistent(near) == {stale.pk, uneven.pk, gone.pk, older.pk}
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.delete(to_boxed_turn(sound).keys[0])
        redis.set(to_boxed_turn(sound).keys[0], "spoilt")
    assert sound.pk in box.find_inconsistent(near)
