"""Turns whose ballots are all in the database: once the window has been over ten minutes long, or always."""

from collections.abc import Sequence

import pytest
from django.conf import settings
from redis import Redis

from tests.voting.action_helpers import event_of, press
from tests.voting.box_helpers import ask
from tests.voting.box_loss_helpers import empty
from tests.voting.match_helpers import ballots, only_turn, play_out, set_window, start, start_open, tally_of
from tests.voting.turns.conftest import crashing
from voting.ballot_box.archive import load_stored_ballots, store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxRef, BoxState, CastReply
from voting.counting.ballots import Ballot
from voting.models import Turn
from voting.turns import scheduler as scheduler_module
from voting.turns.early_close import close_turn_early
from voting.turns.restoring import restore_turn
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db
BEFORE, AFTER = ballots("red", [3, 3]), ballots("yellow", [4])


def cast(turn: Turn, *cast_ballots: Ballot) -> CastReply:
    return ask(lambda box: box.cast(turn.match.event_id, turn.pk, turn.epoch, cast_ballots))


def stored_voters(turn: Turn) -> set[str]:
    return {ballot.voter for ballot in load_stored_ballots(turn)}


def test_extension_over_ten_minutes_stores_all_ballots(box: BallotBox) -> None:
    turn = start_open(box)
    press(event_of(turn), "turn.extend", box, seconds=30)
    assert not cast(load_turn(turn.pk), *BEFORE).stored
    assert stored_voters(turn) == set()
    press(event_of(turn), "turn.extend", box, seconds=270)
    extended = load_turn(turn.pk)
    assert extended.stored
    assert stored_voters(extended) == {"red1", "red2"}
    assert cast(extended, *AFTER).stored, "the gateway stores it before it answers"
    empty()
    close_turn_early(extended.pk, extended.closes_at, box)  # by a gateway that misses the box
    restored = load_turn(extended.pk)
    assert sum(box.ballot_counts(to_boxed_turn(restored)).values()) == 2
    assert restored.box_lost_at is None, "no voter has to return"
    play_out(restored, box)
    assert tally_of(restored, "red").ballots == 2
    assert not only_turn(restored.match).stored, "the next turn is short again"


@pytest.mark.parametrize("step", ["load_ballots", "confirm_stored"])
def test_scheduler_stores_ballots_if_the_extension_crashed(step: str, box: BallotBox) -> None:
    turn = start_open(box)
    cast(turn, *BEFORE)
    with crashing(BallotBox, step):
        press(event_of(turn), "turn.extend", box, seconds=300)
    assert cast(turn, *AFTER).stored
    DeadlineScheduler(box).run_once()
    assert stored_voters(turn) >= {"red1", "red2"}
    assert not box.find_inconsistent([to_boxed_turn(load_turn(turn.pk)).ref])


def test_resumed_turn_with_little_time_left_stays_stored(box: BallotBox) -> None:
    assert [start(box, bank_s=bank_s).stored for bank_s in (60, 1_200)] == [False, True]
    turn = start(box, window_s=1_200)
    assert turn.stored
    set_window(turn, box, -1_000, 300_000)
    press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.resume", box)
    resumed = load_turn(turn.pk)
    assert resumed.closes_at - resumed.opens_at <= 300_000
    assert resumed.stored
    set_window(resumed, box, -1_000, 300_000)
    assert cast(resumed, *BEFORE).stored


@pytest.mark.parametrize("terms", [{}, {"bank_s": 60}, {"bank_s": 60, "cap_s": 20}])
def test_all_turns_are_stored_if_the_organizer_chose_so(terms: dict[str, int], box: BallotBox) -> None:
    turn = start_open(box, store_ballots=True, **terms)
    assert cast(turn, *BEFORE, *AFTER).stored, "the gateway stores them before it answers"
    store_ballots(turn.pk, [*BEFORE, *AFTER], box.now())
    empty()
    restore_turn(turn.pk, box)
    play_out(turn, box)
    assert (tally_of(turn, "red").ballots, tally_of(turn, "yellow").ballots) == (2, 1)
    assert only_turn(turn.match).stored


@pytest.mark.parametrize("apart_ms", [1, 0])
def test_scheduler_checks_all_long_windows_a_few_per_second(
    apart_ms: int, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    iterations, inspect = list[set[int]](), box.inspect

    def watched(turns: Sequence[BoxRef]) -> dict[int, BoxState]:
        iterations[-1].update(turn.turn_id for turn in turns)
        return inspect(turns)

    monkeypatch.setattr(scheduler_module, "LONG_WINDOWS_PER_S", 2)
    monkeypatch.setattr(box, "inspect", watched)
    closes_at = box.now() + 24 * 3_600_000
    turns, near = [start(box, window_s=600) for _ in range(5)], start(box)
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
    sound, stale, uneven, gone, older = (start(box) for _ in range(5))
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
