"""Long windows cost the scheduler little, and all of them are checked regularly."""

from collections.abc import Sequence

import pytest
from django.conf import settings
from redis import Redis

from tests.voting.match_helpers import only_turn, set_window, start
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxState
from voting.models import Turn
from voting.turns import scheduler as scheduler_module
from voting.turns.early_close import close_turn_early
from voting.turns.long_windows import LONG_WINDOW_MS, LongTurnCursor
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import to_boxed_turn

pytestmark = pytest.mark.django_db
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

    def watched(turns: Sequence[tuple[int, int, int]]) -> dict[int, BoxState]:
        iterations[-1].update(turn_id for _, turn_id, _ in turns)
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
    near = [(turn.match.event_id, turn.pk, turn.version) for turn in (sound, stale, uneven, gone, older)]
    near[1] = (*near[1][:2], stale.version + 1)
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
