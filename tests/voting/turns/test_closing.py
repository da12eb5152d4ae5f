from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.engine.errors import GameError
from tests.voting import match_helpers as helpers
from tests.voting.action_helpers import press
from tests.voting.announcements.test_announcements import unreachable_layer
from tests.voting.box_helpers import seal
from tests.voting.recovery_model import InterruptedBox
from tests.voting.turns.conftest import DueTurn
from voting.announcements.outbox import relay
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, Prefetched, Sealed, TooEarly
from voting.counting.commitments import EMPTY
from voting.models import Announcement, Match, TallyRecord, Turn, TurnState
from voting.turns import closing
from voting.turns.closing import close_together, close_turn
from voting.turns.outcomes import decide_outcome
from voting.turns.tasks import close_turns
from voting.turns.turns import load_turn, to_boxed_turn


def test_close_turn_stores_tallies_and_opens_next_turn_at_its_deadline(box: BallotBox, shards: int) -> None:
    turn = helpers.start(box, window_s=20, pace="normal")
    close_turn(turn.pk, box)
    helpers.open_now(turn, box)
    helpers.vote(turn, box, red=[3])
    close_turn(turn.pk, box)
    assert (load_turn(turn.pk).state, load_turn(turn.pk).version) == (TurnState.OPEN, turn.version)
    assert not TallyRecord.objects.exists()
    helpers.vote(turn, box, red=[4, 4, 4], yellow=[7])
    after = helpers.play_out(turn, box)
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 4, 7)
    red, yellow = helpers.tally_of(turn, "red"), helpers.tally_of(turn, "yellow")
    assert (red.counts, red.ballots, red.pick, red.decided_by) == ([0, 0, 1, 2, 0, 0, 0], 3, 4, "plurality")
    assert (yellow.counts, yellow.ballots, yellow.pick) == ([0, 0, 0, 0, 0, 0, 1], 1, 7)
    held = helpers.arrived_ballots(turn, "red")
    assert sorted((b.voter, b.choice) for b in held) == [("red1", 3), ("red2", 4), ("red3", 4)]
    assert shards > 1 or [(b.voter, b.arrival) for b in held] == [("red1", 1), ("red2", 2), ("red3", 3)]
    following = helpers.only_turn(turn.match)
    assert (following.number, following.opens_at) == (2, (after.resolved_at or 0) + helpers.reveal_ms(turn))
    assert following.closes_at - following.opens_at == 20_000
    assert seal(box, to_boxed_turn(following)) == TooEarly(following.closes_at)
    assert box._redis.pttl(to_boxed_turn(turn).keys[0]) > 0


def test_close_turn_stops_if_extended(box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.turns.closing.MAX_EARLY_WAIT_MS", 5_000)  # moving the window takes a moment
    turn, asked, seal_all = due(), list[int](), box.seal_all

    def moved_meanwhile(turns: Sequence[BoxedTurn], prefetched: Prefetched) -> Any:
        asked.append(turns[0].turn_id)
        if len(asked) > 1:
            return seal_all(turns, prefetched)
        helpers.set_window(load_turn(turn.pk), box, -1_000, 60_000)
        return {turn.pk: TooEarly(box.now() + 50)}

    monkeypatch.setattr(box, "seal_all", moved_meanwhile)
    close_turn(turn.pk, box)
    assert asked == [turn.pk, turn.pk]
    assert load_turn(turn.pk).state == TurnState.OPEN


def test_closing_keeps_first_seal(box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker died between the seal and the transaction. Another one, whose clock is behind, closes."""
    turn, now = due(red=[3]), box.now
    first = seal(box, to_boxed_turn(turn))
    assert isinstance(first, Sealed)
    while now() == first.sealed_at:
        pass
    monkeypatch.setattr(box, "now", lambda: now() - 60_000)
    close_turn(turn.pk, box)
    after, match = load_turn(turn.pk), helpers.last_announced(turn.match.event_id).match
    assert after.closes_at <= first.sealed_at == after.sealed_at == after.resolved_at
    assert match
    assert match.reveal
    assert match.reveal.sealed_at == first.sealed_at


def test_turn_is_announced_later(box: BallotBox, due: DueTurn, caplog: pytest.LogCaptureFixture) -> None:
    turn = due()
    with unreachable_layer():
        close_turn(turn.pk, box)
    assert "could not publish a seal" in caplog.text
    assert (load_turn(turn.pk).state, helpers.only_turn(turn.match).number) == (TurnState.RESOLVED, 2)
    assert helpers.tally_of(turn, "red").root == EMPTY.hex()
    waiting = Announcement.objects.filter(event_id=turn.match.event_id, sent_at=None)
    assert waiting.count() == 1
    relay()
    assert waiting.count() == 0


def test_all_kinds_are_closed_together(box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    for size in (2, 12):
        ids = [due(red=[3], yellow=[4]).pk for _ in range(size)]
        with CaptureQueriesContext(connection) as queries:
            assert close_together(ids, box) == []
        counts.append(len(queries))
    assert counts[0] == counts[1], "more turns make no more queries"
    monkeypatch.setattr(closing, "TURNS_PER_TRANSACTION", 4)
    stored = due(window_s=601)
    helpers.store(stored, helpers.ballots("red", [2]))
    ending = helpers.start(box)
    helpers.play(ending.match, box, helpers.RED_WINS[:3])
    last = helpers.only_turn(ending.match)
    helpers.open_now(last, box)
    helpers.vote(last, box, [1], [3])
    helpers.run_out(last, box)
    concealed = due(red=[3], game=helpers.SELECTOR)
    close_turn(concealed.pk, box)
    second = helpers.only_turn(concealed.match)
    helpers.run_out(second, box)
    plain, timed, secret = due(red=[3]), due(red=[3], yellow=[4], bank_s=600), due(max_side_changes=1)
    later, lost = helpers.start(box), due()
    helpers.set_window(later, box, -1_000, 60_000)
    box._redis.delete(*to_boxed_turn(lost).keys)
    turns = [due(game=helpers.SELECTOR), later, lost, plain, timed, secret, stored, last, second]
    left = close_together([turn.pk for turn in turns], box)
    assert set(left) == {later.pk, lost.pk}
    assert [load_turn(turn.pk).state for turn in turns] == ["hidden", "open", "open"] + ["resolved"] * 6
    assert load_turn(concealed.pk).state == TurnState.RESOLVED
    assert (load_turn(lost.pk).epoch, helpers.tally_of(stored, "red").pick) == (2, 2)
    assert Match.objects.get(pk=last.match_id).result == "red"
    for turn in turns:
        assert helpers.last_announced(turn.match.event_id) == helpers.shown(turn.match.event_id)
        for live in turn.match.turns.filter(state=TurnState.OPEN):
            assert not box.find_inconsistent([to_boxed_turn(live).ref])


def test_turn_extended_after_its_seal_is_not_closed_with_the_others(box: BallotBox, due: DueTurn) -> None:
    extended, other = due(red=[3, 3]), due(red=[4])
    slow = InterruptedBox(lambda: helpers.open_now(load_turn(extended.pk), box))
    assert close_together([extended.pk, other.pk], slow) == [extended.pk]
    slow.close()
    assert (load_turn(extended.pk).state, load_turn(extended.pk).seals) == (TurnState.OPEN, None)
    assert [box._redis.pttl(key) for key in to_boxed_turn(extended).keys[:2]] == [-1, -1]
    assert not extended.tallies.exists()
    assert extended.match.turns.count() == 1
    assert helpers.kinds(extended.match.event_id)[-1] == "turn.moved"
    assert helpers.tally_of(other, "red").pick == 4


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
    following = [helpers.only_turn(turn.match) for turn in turns]
    assert [turn.version for turn in following] == [1, 2, 1]
    assert not box.find_inconsistent([to_boxed_turn(turn).ref for turn in following])


def test_failed_turn_stops_no_other(box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, whole = due(), due(red=[3])

    def decide(turn: Turn, *arguments: Any) -> Any:
        if turn.pk == broken.pk:
            raise GameError("no such move")
        return decide_outcome(turn, *arguments)

    monkeypatch.setattr(closing, "decide_outcome", decide)
    with pytest.raises(GameError):
        close_turns(broken.pk, whole.pk)
    assert (load_turn(broken.pk).state, load_turn(whole.pk).state) == (TurnState.OPEN, TurnState.RESOLVED)
