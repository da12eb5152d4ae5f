"""A turn closes once: it is sealed at its deadline, whatever clocks say, and resolved with all ballots."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.voting.announcements.test_announcements import unreachable_layer
from tests.voting.box_helpers import seal
from tests.voting.event_states import last_announced
from tests.voting.match_helpers import (
    arrived_ballots,
    kinds,
    only_turn,
    open_now,
    play_out,
    play_turn,
    reveal_ms,
    set_window,
    start,
    tally_of,
    vote,
)
from tests.voting.turns.conftest import DueTurn
from voting.announcements.outbox import relay
from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, Prefetched, Sealed, TooEarly
from voting.counting.ballots import Ballot
from voting.counting.commitments import EMPTY
from voting.models import Announcement, TallyRecord, TurnState
from voting.turns.closing import MAX_EARLY_WAIT_MS, close_turn
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db


def test_close_turn_does_nothing_before_deadline(box: BallotBox) -> None:
    turn = start(box)
    close_turn(turn.pk, box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    close_turn(turn.pk, box)
    untouched = load_turn(turn.pk)
    assert (untouched.state, untouched.version) == (TurnState.OPEN, turn.version)
    assert not TallyRecord.objects.exists()
    vote(turn, box, red=[4, 4])
    play_out(turn, box)
    assert [ballot.choice for ballot in arrived_ballots(turn, "red")] == [3, 4]


def test_close_turn_stores_tallies_and_opens_next_turn(box: BallotBox) -> None:
    turn = start(box, window_s=20, pace="normal")
    after = play_turn(turn, box, red=[3, 4, 4], yellow=[7])
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 4, 7)
    red, yellow = tally_of(turn, "red"), tally_of(turn, "yellow")
    assert (red.counts, red.ballots, red.pick, red.decided_by) == ([0, 0, 1, 2, 0, 0, 0], 3, 4, "plurality")
    assert (yellow.counts, yellow.ballots, yellow.pick) == ([0, 0, 0, 0, 0, 0, 1], 1, 7)
    held = arrived_ballots(turn, "red")
    assert [(b.voter, b.choice, b.arrival) for b in held] == [("red1", 3, 1), ("red2", 4, 2), ("red3", 4, 3)]
    following = only_turn(turn.match)
    assert after.resolved_at is not None
    assert (following.number, following.opens_at) == (2, after.resolved_at + reveal_ms(turn))
    assert following.closes_at - following.opens_at == 20_000
    assert seal(box, to_boxed_turn(following)) == TooEarly(following.closes_at)
    assert box._redis.pttl(to_boxed_turn(turn).keys[0]) > 0


def test_close_turn_relays_reveal_before_placing_next_box(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, unsent, place_all = due(), list[int](), box.place_all

    def watched(turns: Sequence[BoxedTurn]) -> set[int]:
        unsent.append(Announcement.objects.filter(sent_at=None).count())
        return place_all(turns)

    monkeypatch.setattr(box, "place_all", watched)
    close_turn(turn.pk, box)
    assert unsent == [0]
    assert kinds(turn.match.event_id)[-1] == "turn.revealed"


def test_close_turn_stops_if_deadline_moves_away(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voting.turns.closing.MAX_EARLY_WAIT_MS", 5_000)  # moving the window takes a moment
    turn, asked, seal_all = due(), list[int](), box.seal_all

    def moved_meanwhile(turns: Sequence[BoxedTurn], prefetched: Prefetched) -> Any:
        asked.append(turns[0].turn_id)
        if len(asked) > 1:
            return seal_all(turns, prefetched)
        set_window(load_turn(turn.pk), box, -1_000, 60_000)
        return {turn.pk: TooEarly(box.now() + 50)}

    monkeypatch.setattr(box, "seal_all", moved_meanwhile)
    close_turn(turn.pk, box)
    assert asked == [turn.pk, turn.pk]
    assert load_turn(turn.pk).state == TurnState.OPEN


def test_close_turn_announces_time_of_first_seal(box: BallotBox, due: DueTurn) -> None:
    """A worker died between the seal and the transaction; another closes later."""
    turn = due(red=[3])
    first = seal(box, to_boxed_turn(turn))
    assert isinstance(first, Sealed)
    while box.now() == first.sealed_at:
        pass
    close_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert after.closes_at <= first.sealed_at < (after.resolved_at or 0)
    assert after.sealed_at == first.sealed_at
    match = last_announced(turn.match.event_id).match
    assert match
    assert match.reveal
    assert match.reveal.sealed_at == first.sealed_at


def test_turn_is_never_resolved_before_it_is_sealed(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a cluster, a node whose clock is behind may answer `now`."""
    turn, now = due(), box.now
    monkeypatch.setattr(box, "now", lambda: now() - 60_000)
    close_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert after.sealed_at is not None
    assert after.resolved_at == after.sealed_at


def test_moved_window_is_sealed_at_new_deadline(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voting.turns.closing.MAX_EARLY_WAIT_MS", 5_000)
    turn = due()
    first = seal(box, to_boxed_turn(turn))
    assert isinstance(first, Sealed)
    set_window(turn, box, -1_000, MAX_EARLY_WAIT_MS - 50)
    close_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert after.state == TurnState.RESOLVED
    assert (after.sealed_at or 0) >= after.closes_at > first.sealed_at


def test_turn_closes_without_channel_layer_and_is_announced_later(
    box: BallotBox, due: DueTurn, caplog: pytest.LogCaptureFixture
) -> None:
    turn = due()
    with unreachable_layer():
        close_turn(turn.pk, box)
    assert "could not publish a seal" in caplog.text
    assert (load_turn(turn.pk).state, only_turn(turn.match).number) == (TurnState.RESOLVED, 2)
    assert tally_of(turn, "red").root == EMPTY.hex()
    waiting = Announcement.objects.filter(event_id=turn.match.event_id, sent_at=None)
    assert waiting.count() == 1
    relay()
    assert waiting.count() == 0


def test_root_includes_ballots_stored_only_in_database(box: BallotBox) -> None:
    """In the order they were stored, not by voter."""
    turn = start(box, window_s=601)
    open_now(turn, box)
    for at, voter in enumerate(("zz", "aa", "mm")):
        store_ballots(turn.pk, [Ballot(voter, "red", 2 + at, 1, 0, f"{at:032x}")], at)
    play_out(turn, box)
    assert [ballot.voter for ballot in arrived_ballots(turn, "red")] == ["zz", "aa", "mm"]
