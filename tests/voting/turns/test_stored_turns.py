"""Turns whose ballots are all in the database: once the window has been over ten minutes long, or always."""

from collections.abc import Sequence

import pytest
from django.conf import settings
from redis import Redis

from tests.voting.action_helpers import event_of, press
from tests.voting.box_helpers import ask
from tests.voting.box_loss_helpers import empty
from tests.voting.match_helpers import ballots, only_turn, open_now, play_out, set_window, start, tally_of
from tests.voting.turns.conftest import crashing
from voting.ballot_box.archive import load_stored_ballots, store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxRef, BoxState, CastReply
from voting.counting.ballots import Ballot
from voting.counting.window import STORED_FROM_MS
from voting.models import Turn
from voting.turns import scheduler as scheduler_module
from voting.turns.early_close import close_turn_early
from voting.turns.long_windows import LONG_WINDOW_MS, LongTurnCursor
from voting.turns.restoring import restore_turn
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db
BEFORE, AFTER = ballots("red", [3, 3]), ballots("yellow", [4])
TEN_MINUTES_S = STORED_FROM_MS // 1000


def cast(turn: Turn, *cast_ballots: Ballot) -> CastReply:
    return ask(lambda box: box.cast(turn.match.event_id, turn.pk, turn.epoch, cast_ballots))


def stored_voters(turn: Turn) -> set[str]:
    return {ballot.voter for ballot in load_stored_ballots(turn)}


def test_extension_over_ten_minutes_stores_all_ballots(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    assert not cast(turn, *BEFORE).stored
    press(event_of(turn), "turn.extend", box, seconds=300)
    extended = load_turn(turn.pk)
    assert extended.stored
    assert stored_voters(extended) == {"red1", "red2"}
    assert cast(extended, *AFTER).stored, "the gateway stores it before it answers"
    empty()
    restore_turn(extended.pk, box)
    restored = load_turn(extended.pk)
    assert sum(box.ballot_counts(to_boxed_turn(restored)).values()) == 2
    assert restored.box_lost_at is None, "no voter has to return"
    play_out(restored, box)
    assert tally_of(restored, "red").ballots == 2
    assert not only_turn(restored.match).stored, "the next turn is short again"


@pytest.mark.parametrize("step", ["load_ballots", "confirm_stored"])
def test_scheduler_stores_ballots_if_the_extension_crashed(step: str, box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    cast(turn, *BEFORE)
    with crashing(BallotBox, step):
        press(event_of(turn), "turn.extend", box, seconds=300)
    assert cast(turn, *AFTER).stored
    DeadlineScheduler(box).run_once()
    assert stored_voters(turn) >= {"red1", "red2"}
    assert not box.find_inconsistent([to_boxed_turn(load_turn(turn.pk)).ref])


def test_resumed_turn_with_little_time_left_stays_stored(box: BallotBox) -> None:
    turn = start(box, window_s=2 * TEN_MINUTES_S)
    assert turn.stored
    set_window(turn, box, -1_000, 300_000)
    press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "turn.resume", box)
    resumed = load_turn(turn.pk)
    assert resumed.closes_at - resumed.opens_at <= 300_000
    assert resumed.stored
    set_window(resumed, box, -1_000, 300_000)
    assert cast(resumed, *BEFORE).stored


def test_short_turns_are_not_stored(box: BallotBox) -> None:
    turn = start(box, window_s=TEN_MINUTES_S)
    set_window(turn, box, -1_000, 300_000)
    press(event_of(turn), "turn.extend", box, seconds=60)
    assert not cast(turn, *BEFORE).stored
    assert stored_voters(turn) == set()


@pytest.mark.parametrize("terms", [{}, {"bank_s": 60}, {"bank_s": 60, "cap_s": 20}])
def test_all_turns_are_stored_if_the_organizer_chose_so(terms: dict[str, int], box: BallotBox) -> None:
    turn = start(box, store_ballots=True, **terms)
    open_now(turn, box)
    assert cast(turn, *BEFORE, *AFTER).stored, "the gateway stores them before it answers"
    store_ballots(turn.pk, [*BEFORE, *AFTER], box.now())
    empty()
    restore_turn(turn.pk, box)
    play_out(turn, box)
    assert (tally_of(turn, "red").ballots, tally_of(turn, "yellow").ballots) == (2, 1)
    assert only_turn(turn.match).stored


DAY_MS = 24 * 3600 * 1000


def long_windows(box: BallotBox, count: int, *, apart_ms: int = 1) -> list[Turn]:
    turns = [start(box, window_s=600) for _ in range(count)]
    for number, turn in enumerate(turns):
        set_window(turn, box, -1_000, DAY_MS + number)
    if not apart_ms:
        Turn.objects.update(closes_at=box.now() + DAY_MS)
    return turns


@pytest.mark.parametrize("apart_ms", [1, 0])
def test_walk_visits_all_long_windows_and_starts_over(box: BallotBox, apart_ms: int) -> None:
    turns = long_windows(box, 5, apart_ms=apart_ms)
    near = start(box)
    walk = LongTurnCursor(2)
    beyond = box.now() + LONG_WINDOW_MS
    seen = [[pk for pk, _ in walk.step(beyond)] for _ in range(6)]
    assert [pk for batch in seen[:3] for pk in batch] == [turn.pk for turn in turns]
    assert seen[3:] == seen[:3]
    assert walk.rounds == 2
    assert near.pk not in {pk for batch in seen for pk in batch}


def test_scheduler_checks_a_few_long_windows_per_second(
    box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    iterations, inspect = list[set[int]](), box.inspect

    def watched(turns: Sequence[BoxRef]) -> dict[int, BoxState]:
        iterations[-1].update(turn.turn_id for turn in turns)
        return inspect(turns)

    monkeypatch.setattr(scheduler_module, "LONG_WINDOWS_PER_S", 2)
    monkeypatch.setattr(box, "inspect", watched)
    turns, near = long_windows(box, 5), start(box)
    scheduler = DeadlineScheduler(box)
    for _ in range(3):
        iterations.append(set())
        scheduler.chores_at = 0.0
        scheduler.run_once()
    assert [len(checked) for checked in iterations] == [3, 3, 2]
    assert set.union(*iterations) == {near.pk, *(turn.pk for turn in turns)}
    assert set.intersection(*iterations) == {near.pk}


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


def test_early_close_restores_lost_long_window(box: BallotBox) -> None:
    (turn,) = long_windows(box, 1)
    box.delete_all_events()
    close_turn_early(turn.pk, turn.closes_at, box)
    assert only_turn(turn.match).epoch == 2
