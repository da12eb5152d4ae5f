from typing import Any

import pytest
from django.db.models import F
from pytest_django.fixtures import Settings

from tests.voting.action_helpers import event_of
from tests.voting.match_helpers import kinds, play_out, set_window, start
from tests.voting.turns.conftest import report
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxState
from voting.ballot_box.heartbeats import GATEWAY_STALE_MS
from voting.models import Turn, TurnState
from voting.turns.outages import OutageWatch
from voting.turns.restoring import must_stay_open
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn

WINDOW_MS = 60_000


@pytest.fixture
def turn(box: BallotBox) -> Turn:
    turn = start(box)
    set_window(turn, box, -1_000, WINDOW_MS)
    return load_turn(turn.pk)


def added_ms(turn: Turn, watch: OutageWatch, *voters: int, ballots: int = 0, first_ms: int = 0) -> int:
    """Check once a second, from `first_ms` after the start of the window; return the added time."""
    before = load_turn(turn.pk).closes_at
    for second, connected in enumerate(voters):
        state = BoxState(is_consistent=True, ballots=ballots, voters=connected, gateways=bool(connected))
        now = turn.closes_at - WINDOW_MS + first_ms + 1_000 * second
        watch.check({turn.pk: state}, {turn.pk: load_turn(turn.pk).closes_at}, now)
    return load_turn(turn.pk).closes_at - before


@pytest.mark.parametrize(
    ("voters", "ballots", "added"),
    [
        ([20, 8, 8, 8, 18], 0, 4_000),
        ([20, 16, 12, 8, 18], 19, 4_000),
        ([20, 8, 8, 8, 17], 0, 0),  # not yet back
        ([20, 8, 18], 20, 0),  # everybody had voted
        ([20, 11, 20], 0, 0),  # 9 phones
        ([100, 81, 100], 0, 0),  # 19%
        ([100, 80, 100], 0, 2_000),
        ([20, 18, 16, 14, 12, 10, 8, 20], 0, 0),  # one after the other
        ([40, 20, 20, 20, 20, 8, 20], 0, 0),  # back from a second loss only
        ([20, 0, 0, 20], 0, 3_000 + GATEWAY_STALE_MS),  # until a dead gateway was noticed
    ],
)
def test_turn_is_extended_by_time_of_sudden_loss(
    turn: Turn, box: BallotBox, voters: list[int], ballots: int, added: int
) -> None:
    assert added_ms(turn, OutageWatch(box), *voters, ballots=ballots) == added


def test_turn_that_closes_soon_gets_time_to_reconnect_and_at_most_the_setting(
    turn: Turn, box: BallotBox, settings: Settings
) -> None:
    assert added_ms(turn, OutageWatch(box), 20, 0, first_ms=WINDOW_MS - 4_000) == 0
    settings.OUTAGE_EXTENSION_S = 0
    assert added_ms(turn, OutageWatch(box), 20, 0, first_ms=WINDOW_MS - 3_000) == 0
    settings.OUTAGE_EXTENSION_S = 7
    assert added_ms(turn, OutageWatch(box), 20, 0, first_ms=WINDOW_MS - 3_000) == 7_000
    settings.OUTAGE_EXTENSION_S = 30
    assert added_ms(turn, OutageWatch(box), 20, 0, first_ms=WINDOW_MS - 3_000 + 7_000) == 10_000


def test_turn_is_extended_once_by_two_schedulers_or_the_host(turn: Turn, box: BallotBox) -> None:
    watch, other, later = OutageWatch(box), OutageWatch(box), OutageWatch(box)
    assert [added_ms(turn, one, 20, 8, 8) for one in (watch, other, later)] == [0, 0, 0]
    assert [added_ms(turn, one, 20, first_ms=3_000) for one in (watch, other)] == [3_000, 0]
    assert added_ms(turn, watch, 8, 20, first_ms=4_000) == 0
    assert added_ms(turn, later, 20, first_ms=3_000) == 0


def test_outage_just_before_the_deadline_extends_turn_once(turn: Turn, box: BallotBox) -> None:
    """The second scheduler notices the outage when the first one has extended the turn."""
    watch, other = OutageWatch(box), OutageWatch(box)
    assert [added_ms(turn, one, 20, first_ms=WINDOW_MS - 3_000) for one in (watch, other)] == [0, 0]
    assert [added_ms(turn, one, 0, 20, first_ms=WINDOW_MS - 2_000) for one in (watch, other)] == [10_000, 0]


def test_turn_extended_by_the_host_before_the_outage_is_extended_by_it(turn: Turn, box: BallotBox) -> None:
    watch = OutageWatch(box)
    added_ms(turn, watch, 20)
    Turn.objects.filter(pk=turn.pk).update(closes_at=F("closes_at") + 5_000)
    assert added_ms(turn, watch, 20, 8, 20, first_ms=1_000) == 2_000


@pytest.mark.parametrize(
    "change",
    [{"box_lost_at": 1}, {"sealed_version": F("version")}, {"state": TurnState.PAUSED, "left_ms": 9_000}, {}],
)
def test_restored_sealed_paused_or_timed_turn_is_not_extended(box: BallotBox, change: dict[str, Any]) -> None:
    turn = start(box, **({} if change else {"bank_s": 60, "close_early": True}), window_s=60)
    set_window(turn, box, -1_000, WINDOW_MS)
    Turn.objects.filter(pk=turn.pk).update(**change)
    assert added_ms(load_turn(turn.pk), OutageWatch(box), 20, 0, 20) == 0


def test_turn_resolved_since_it_was_checked_keeps_its_deadline(turn: Turn, box: BallotBox) -> None:
    resolved = play_out(turn, box)
    assert added_ms(resolved, OutageWatch(box), 20, 0, 20) == 0
    Turn.objects.filter(pk=turn.pk).update(box_lost_at=box.now())
    assert must_stay_open(load_turn(turn.pk), box)
    assert load_turn(turn.pk).closes_at == resolved.closes_at
    assert kinds(event_of(turn))[-1] == "turn.revealed"


def test_scheduler_extends_turn_whose_phones_return(turn: Turn, box: BallotBox) -> None:
    scheduler = DeadlineScheduler(box)
    for voters in (20, 5, 20):
        report(turn, voters)
        scheduler.chores_at = 0.0
        scheduler.run_once()
    assert load_turn(turn.pk).closes_at > turn.closes_at
    assert kinds(event_of(turn))[-1] == "turn.moved"
