from typing import Any

import pytest

from tests.voting import match_helpers as helpers
from tests.voting.action_helpers import event_of, press, refused
from tests.voting.turns.conftest import DueTurn, crashing
from tests.voting.turns.test_turn_crashes import run_again
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.window import START_LEAD_MS
from voting.metrics.metrics import REGISTRY
from voting.models import TallyRecord, Turn, TurnState
from voting.turns import closing
from voting.turns.closing import close_together, close_turn
from voting.turns.early_close import close_turn_early
from voting.turns.host_steps import reveal_turn
from voting.turns.restoring import restore_turn
from voting.turns.time_steps import move_turn
from voting.turns.turns import load_turn

TALK_MS = 90_000


def wait(turn: Turn, seconds: int) -> None:
    """Let the turn wait for the host that long: move its window into the past."""
    times = {"opens_at": turn.opens_at - seconds * 1000, "closes_at": turn.closes_at - seconds * 1000}
    Turn.objects.filter(pk=turn.pk).update(**times)


def test_sealed_turn_is_not_counted_before_the_host_presses(box: BallotBox, due: DueTurn) -> None:
    turn = due(red=[3], yellow=[5], host_wait_s=60)
    close_turn(turn.pk, box)
    waiting = load_turn(turn.pk)
    assert (waiting.state, waiting.is_sealed, waiting.red_pick) == (TurnState.OPEN, True, None)
    assert not TallyRecord.objects.exists()
    helpers.vote(waiting, box, red=[7, 7])
    wait(waiting, 50)
    before = REGISTRY.get_sample_value("crowdgame_resolve_lag_seconds_sum") or 0
    press(event_of(waiting), "reveal.start", box, turn=waiting.pk)
    lag_s = (REGISTRY.get_sample_value("crowdgame_resolve_lag_seconds_sum") or 0) - before
    assert 0 < lag_s < 40, "the time until the host presses is no delay"
    revealed, following = load_turn(waiting.pk), helpers.only_turn(waiting.match)
    assert (revealed.state, revealed.red_pick, revealed.yellow_pick) == (TurnState.RESOLVED, 3, 5)
    assert helpers.tally_of(waiting, "red").ballots == 1
    with refused("no reveal to start"):
        reveal_turn(waiting.pk, box)
    resolved_at = revealed.resolved_at or 0
    assert following.opens_at == resolved_at + helpers.reveal_ms(waiting) + 60_000
    Turn.objects.filter(pk=waiting.pk).update(resolved_at=resolved_at - helpers.reveal_ms(waiting))
    press(event_of(waiting), "turn.open", box, turn=following.pk)
    opened = load_turn(following.pk)
    assert box.now() < opened.opens_at <= box.now() + 1_000
    assert opened.closes_at - opened.opens_at == following.closes_at - following.opens_at


def test_scheduler_acts_for_the_host(box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch) -> None:
    enqueued: list[int] = []
    monkeypatch.setattr("voting.turns.scheduler.enqueue_close", lambda *turn_ids: enqueued.extend(turn_ids))
    monkeypatch.setattr("voting.turns.scheduler.WORKER_TIMEOUT_MS", 0)
    turn = due(red=[3], host_wait_s=60)
    with crashing(closing, "publish_seals"):
        close_turn(turn.pk, box)
    run_again(box)
    assert (load_turn(turn.pk).state, enqueued) == (TurnState.OPEN, [])
    wait(turn, 60)
    run_again(box)
    assert (load_turn(turn.pk).red_pick, enqueued) == (3, [turn.pk])
    assert helpers.kinds(event_of(turn)).count("turn.revealed") == 1


def test_only_turns_that_would_be_revealed_wait_for_the_host(box: BallotBox, due: DueTurn) -> None:
    plain, wait = due(red=[3]), due(red=[3], host_wait_s=60)
    half = due(red=[3], yellow=[3], game=helpers.SELECTOR, host_wait_s=60)
    close_together([plain.pk, wait.pk, half.pk], box)
    following = helpers.only_turn(half.match)
    helpers.run_out(following, box)
    close_turn(following.pk, box)
    states = [load_turn(turn.pk).state for turn in (plain, wait, half, following)]
    assert states == [TurnState.RESOLVED, TurnState.OPEN, TurnState.CONCEALED, TurnState.OPEN]


def test_vote_that_everyone_has_cast_waits_for_the_host_too(box: BallotBox, due: DueTurn) -> None:
    turn = due(host_wait_s=60, close_early=True)
    helpers.open_now(turn, box)
    helpers.vote(turn, box, red=[3], yellow=[4])
    with refused("no reveal to start"):
        press(event_of(turn), "reveal.start", box, turn=turn.pk)
    close_turn_early(turn.pk, load_turn(turn.pk).closes_at, box)
    early = load_turn(turn.pk)
    assert (early.state, early.is_sealed) == (TurnState.OPEN, True)


def test_first_window_opens_after_talk_time_and_later_ones_after_the_reveal(box: BallotBox) -> None:
    before = box.now()
    turn = helpers.start(box, talk_s=90, window_s=20, pace="normal")
    assert before <= turn.opens_at - START_LEAD_MS - TALK_MS <= box.now()
    assert (turn.match.talk_s, turn.talk_left_ms) == (90, TALK_MS)
    assert turn.closes_at - turn.opens_at == 20_000
    box.delete_all_events()
    restore_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.epoch, restored.opens_at, restored.closes_at) == (2, turn.opens_at, turn.closes_at)
    resolved_at = helpers.play_turn(restored, box, red=[1], yellow=[2]).resolved_at or 0
    second = helpers.only_turn(turn.match)
    assert (second.number, second.opens_at) == (2, resolved_at + helpers.reveal_ms(turn) + TALK_MS)
    assert second.closes_at - second.opens_at == 20_000
    before = box.now()
    press(event_of(turn), "turn.void", box)
    again = helpers.only_turn(turn.match)
    assert before <= again.opens_at - START_LEAD_MS - TALK_MS <= box.now()


@pytest.mark.parametrize("passed_ms", [-60_000, START_LEAD_MS + TALK_MS // 2])
def test_pause_keeps_remaining_talk_time(passed_ms: int, box: BallotBox) -> None:
    turn = helpers.start(box, talk_s=90, window_s=20, pace="normal")
    move_turn(turn.pk, turn.version, -passed_ms, box.now(), box)
    left = min(TALK_MS, load_turn(turn.pk).opens_at - box.now())  # the lead is not part of the talk time
    press(event_of(turn), "turn.pause", box)
    held = load_turn(turn.pk)
    assert (held.state, held.left_ms) == (TurnState.PAUSED, 20_000)
    assert 0 < held.talk_left_ms <= left
    before = box.now()
    press(event_of(turn), "turn.resume", box)
    after = load_turn(turn.pk)
    assert before + held.talk_left_ms <= after.opens_at <= box.now() + held.talk_left_ms
    assert after.closes_at - after.opens_at == 20_000
    shown: Any = load_snapshot(turn.match.event).match
    assert shown.turn.talk_ms == after.talk_left_ms == held.talk_left_ms
    if passed_ms < 0:
        assert held.talk_left_ms == TALK_MS
    helpers.open_now(after, box)
    for _ in range(2):  # the second pause comes before the window is open again
        press(event_of(turn), "turn.pause", box)
        press(event_of(turn), "turn.resume", box)
        shown = load_snapshot(turn.match.event).match
        assert (box.now() < shown.turn.opens_at, shown.turn.talk_ms) == (True, 0), "during the vote"


@pytest.mark.parametrize(
    ("choices", "pause_ms"),
    [
        ({}, 1000 + 250 * (12 + 1)),  # a word is the team's name
        ({"talk_s": 30}, 30_000),
        ({"analysis": "match"}, 0),
        ({"max_side_changes": 1}, 0),
        ({"hide_hints": True}, 0),
        ({"game": "goofspiel"}, 0),  # no solver
        ({"game": helpers.CLASSIC}, 0),  # not exact yet
        ({"bank_s": 600}, 0),
    ],
)
def test_next_vote_waits_to_read_an_analysis(choices: dict[str, Any], pause_ms: int, box: BallotBox) -> None:
    turn = helpers.start(box, **{"pace": "brisk", "analysis": "turn", **choices})
    after, following = helpers.play_turn(turn, box, [1], [2]), helpers.only_turn(turn.match)
    assert following.opens_at - (after.resolved_at or 0) - helpers.reveal_ms(turn) == pause_ms
