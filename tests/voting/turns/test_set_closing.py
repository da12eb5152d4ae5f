"""Turns that share a deadline are closed together, as if each were closed alone, and exactly once."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.engine.errors import GameError
from tests.voting.action_helpers import press
from tests.voting.box_helpers import seal
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import (
    RED_WINS,
    SELECTOR,
    ballots,
    kinds,
    only_turn,
    open_now,
    play,
    run_out,
    set_window,
    start,
    store,
    tally_of,
    vote,
)
from tests.voting.recovery_model import Crash, InterruptedBox
from tests.voting.turns.conftest import DueTurn
from tests.voting.turns.test_turn_crashes import run_again
from voting.announcements.outbox import relay
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import TooEarly
from voting.models import Announcement, Event, Match, Turn, TurnState
from voting.protocol import decode_change
from voting.turns import closing, outcome_store
from voting.turns.closing import close_together, close_turn
from voting.turns.outcomes import decide_outcome
from voting.turns.tasks import close_turns
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db


def test_closing_more_turns_makes_no_more_queries(box: BallotBox, due: DueTurn) -> None:
    counts = []
    for size in (2, 12):
        ids = [due(red=[3], yellow=[4]).pk for _ in range(size)]
        with CaptureQueriesContext(connection) as queries:
            assert close_together(ids, box) == []
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_turns_of_all_kinds_are_closed_together(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closing, "TURNS_PER_TRANSACTION", 4)
    stored = due(window_s=601)
    store(stored, ballots("red", [2]))
    ending = start(box)
    play(ending.match, box, RED_WINS[:3])
    last = only_turn(ending.match)
    open_now(last, box)
    vote(last, box, [1], [3])
    run_out(last, box)
    concealed = due(red=[3], game=SELECTOR)
    close_turn(concealed.pk, box)
    second = only_turn(concealed.match)
    run_out(second, box)
    closed = [
        due(red=[3], yellow=[4]),
        due(red=[3], yellow=[4], bank_s=600),
        due(max_side_changes=1),
        stored,
        last,
        second,
    ]
    later, lost = start(box), due()
    set_window(later, box, -1_000, 60_000)
    box._redis.delete(*to_boxed_turn(lost).keys)
    first_half = due(game=SELECTOR)
    turns = [first_half, later, lost, *closed]
    left = close_together([turn.pk for turn in turns], box)
    assert set(left) == {later.pk, lost.pk}
    assert [load_turn(turn.pk).state for turn in turns] == ["hidden", "open", "open"] + ["resolved"] * 6
    assert load_turn(concealed.pk).state == TurnState.RESOLVED
    assert (load_turn(lost.pk).epoch, tally_of(stored, "red").pick) == (2, 2)
    assert Match.objects.get(pk=last.match_id).result == "red"
    for turn in turns:
        announced = Announcement.objects.filter(event_id=turn.match.event_id).latest("seq")
        shown = load_snapshot(Event.objects.get(pk=turn.match.event_id))
        assert decode_change(bytes(announced.body)).state == shown
        for live in turn.match.turns.filter(state=TurnState.OPEN):
            assert not box.find_inconsistent([(turn.match.event_id, live.pk, live.version)])


def test_turns_wait_for_their_deadline_and_open_the_next_box(box: BallotBox) -> None:
    turns = [start(box), start(box)]
    for turn in turns:
        set_window(turn, box, -1_000, 200)
    assert close_together([turn.pk for turn in turns], box) == []
    for turn in turns:
        after, following = load_turn(turn.pk), only_turn(turn.match)
        assert after.closes_at <= (after.sealed_at or 0) <= (after.resolved_at or 0)
        assert seal(box, to_boxed_turn(following)) == TooEarly(following.closes_at)
        assert kinds(turn.match.event_id)[-1] == "turn.revealed"
        assert not Announcement.objects.filter(sent_at=None).exists()
        assert box._redis.pttl(to_boxed_turn(turn).keys[0]) > 0


def test_a_leased_turn_is_left_to_the_process_that_holds_the_lease(box: BallotBox, due: DueTurn) -> None:
    leased, free = due(), due()
    assert box.closing_lease.take(leased.pk)
    assert close_together([leased.pk, free.pk], box) == []
    assert (load_turn(leased.pk).state, load_turn(free.pk).state) == (TurnState.OPEN, TurnState.RESOLVED)
    assert [box.closing_lease.is_held(turn.pk) for turn in (leased, free)] == [True, False]


def test_turn_extended_after_its_seal_is_not_closed_with_the_others(box: BallotBox, due: DueTurn) -> None:
    extended, other = due(red=[3, 3]), due(red=[4])
    slow = InterruptedBox(lambda: open_now(load_turn(extended.pk), box))
    assert close_together([extended.pk, other.pk], slow) == [extended.pk]
    slow.close()
    assert (load_turn(extended.pk).state, load_turn(extended.pk).seals) == (TurnState.OPEN, None)
    assert not extended.tallies.exists()
    assert extended.match.turns.count() == 1
    assert kinds(extended.match.event_id)[-1] == "turn.moved"
    vote(load_turn(extended.pk), box, yellow=[5])
    run_out(load_turn(extended.pk), box)
    close_turns(extended.pk)
    assert (tally_of(extended, "red").ballots, tally_of(extended, "yellow").ballots) == (2, 1)
    assert tally_of(other, "red").pick == 4


@pytest.mark.parametrize("action", ["turn.extend", "turn.pause"])
def test_next_turn_changed_before_its_box_exists_is_placed_as_changed(
    action: str, box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An organizer acts as soon as the reveals are announced."""
    turns = [due(red=[3]) for _ in range(3)]

    def relay_and_change(*event_ids: int) -> None:
        relay(*event_ids)
        press(turns[1].match.event_id, action, box)

    monkeypatch.setattr(closing, "relay", relay_and_change)
    assert close_together([turn.pk for turn in turns], box) == []
    following = [only_turn(turn.match) for turn in turns]
    assert [turn.version for turn in following] == [1, 2, 1]
    assert not box.find_inconsistent([(turn.match.event_id, turn.pk, turn.version) for turn in following])


def test_failure_of_one_turn_leaves_the_others_to_close_alone(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = due(), due(red=[3])

    def decide(turn: Turn, *arguments: Any) -> Any:
        if turn.pk == broken.pk:
            raise GameError("no such move")
        return decide_outcome(turn, *arguments)

    monkeypatch.setattr(closing, "decide_outcome", decide)
    with pytest.raises(GameError):
        close_turns(broken.pk, whole.pk)
    assert (load_turn(broken.pk).state, load_turn(whole.pk).state) == (TurnState.OPEN, TurnState.RESOLVED)


@pytest.mark.django_db(transaction=True)
def test_concurrent_closes_of_overlapping_sets_close_each_turn_once(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voting.ballot_box.ballot_box.LEASE_MS", 1)  # no lease keeps them apart
    turns = [due(red=[3], yellow=[5]) for _ in range(6)]
    ids = [turn.pk for turn in turns]
    sets = iter([ids, ids[::-1], ids[:4], ids[2:], ids[1:5], ids])
    at_once(6, lambda own: close_left(next(sets), own))
    for turn in turns:
        assert load_turn(turn.pk).state == TurnState.RESOLVED
        assert sorted(turn.tallies.values_list("side", flat=True)) == ["red", "yellow"]
        assert [t.number for t in turn.match.turns.order_by("pk")] == [1, 2]
        assert kinds(turn.match.event_id).count("turn.revealed") == 1


def close_left(ids: Sequence[int], box: BallotBox) -> None:
    for turn_id in close_together(ids, box):
        close_turn(turn_id, box)


@pytest.mark.parametrize("step", ["publish_seals", "claim_turns", "announce_all", "relay"])
def test_set_that_crashed_while_it_wrote_is_finished(
    step: str, box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [due(red=[3, 3, 1], yellow=[6]) for _ in range(3)]
    module = closing if step in {"publish_seals", "relay"} else outcome_store
    call = getattr(module, step)

    def crash(*arguments: Any) -> None:
        if step != "relay":
            call(*arguments)
        raise Crash

    with monkeypatch.context() as dying:
        dying.setattr(module, step, crash)
        with pytest.raises(Crash):
            close_together([turn.pk for turn in turns], box)
    assert {load_turn(turn.pk).state == TurnState.RESOLVED for turn in turns} == {step == "relay"}
    close_left([turn.pk for turn in turns], box)
    run_again(box)
    for turn in turns:
        after, following = load_turn(turn.pk), only_turn(turn.match)
        assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 3, 6)
        assert (tally_of(turn, "red").ballots, tally_of(turn, "yellow").ballots) == (3, 1)
        assert (following.number, type(seal(box, to_boxed_turn(following)))) == (2, TooEarly)
        assert kinds(turn.match.event_id).count("turn.revealed") == 1
    assert not Announcement.objects.filter(sent_at=None).exists()
