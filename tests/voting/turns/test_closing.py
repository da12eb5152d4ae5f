"""A turn closes once: it is sealed at its deadline, whatever clocks say, and resolved with all ballots."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from redis import Redis

from crowdgame.server.laptop.network import LOOPBACK, free_port
from games.engine.game import SIDES, Side
from tests.deploy.processes import wait_until
from tests.voting.announcements.test_announcements import listening
from tests.voting.box_helpers import seal
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import (
    CLASSIC,
    SELECTOR,
    arrived_ballots,
    ballots,
    kinds,
    only_turn,
    open_now,
    play_turn,
    reveal_ms,
    run_out,
    set_window,
    start,
    tally_of,
    vote,
)
from tests.voting.recovery_model import InterruptedBox
from tests.voting.sample_matches import with_blinds
from tests.voting.turns.conftest import DueTurn
from voting.announcements.channel_layer import NOT_A_CHANGE
from voting.announcements.outbox import relay
from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import NOTHING, BallotBox
from voting.ballot_box.box_types import BoxedTurn, Prefetched, Sealed, TooEarly
from voting.counting.ballots import Ballot
from voting.counting.commitments import EMPTY, Commitment, sort_ballots
from voting.models import Announcement, TallyRecord, Turn, TurnState
from voting.protocol import TurnSealed, decode_change
from voting.turns import closing
from voting.turns.closing import MAX_EARLY_WAIT_MS, close_turn
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db
EMPTY_ROOT = EMPTY.hex()


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
    assert [b.choice for b in close_and_unpack(turn, box, "red")] == [3, 4]


def close_and_unpack(turn: Turn, box: BallotBox, side: Side) -> list[Ballot]:
    run_out(turn, box)
    close_turn(turn.pk, box)
    return arrived_ballots(turn, side)


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


def test_turn_extended_after_seal_is_not_closed(box: BallotBox, due: DueTurn, valkey_url: str) -> None:
    """An extension between the seal and the transaction wins, and no ballot is lost."""

    turn = due(red=[3, 3])
    slow = InterruptedBox(lambda: set_window(load_turn(turn.pk), box, -1_000, 30 * 24 * 3_600_000))
    close_turn(turn.pk, slow)
    slow.close()
    assert (load_turn(turn.pk).state, load_turn(turn.pk).seals) == (TurnState.OPEN, None)
    with Redis.from_url(valkey_url) as redis:
        for key in to_boxed_turn(turn).keys[:2]:
            assert redis.pttl(key) == -1
    vote(load_turn(turn.pk), box, yellow=[4])
    assert len(close_and_unpack(load_turn(turn.pk), box, "red")) == 2
    assert tally_of(turn, "yellow").ballots == 1


def test_close_turn_relays_reveal_before_placing_next_box(box: BallotBox, due: DueTurn) -> None:
    unsent: list[int] = []

    class Watched(BallotBox):
        def place_all(self, turns: Sequence[BoxedTurn]) -> set[int]:
            unsent.append(Announcement.objects.filter(sent_at=None).count())
            return super().place_all(turns)

    turn = due()
    watched = Watched()
    close_turn(turn.pk, watched)
    watched.close()
    assert unsent == [0]
    assert kinds(turn.match.event_id)[-1] == "turn.revealed"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("game", ["simultaneous-captains-mistress", SELECTOR])
def test_concurrent_closes_close_each_turn_once(game: str, box: BallotBox, due: DueTurn) -> None:
    turn = due(red=[3, 3], yellow=[5], game=game)
    at_once(6, lambda own: close_turn(turn.pk, own))
    if game == SELECTOR:
        assert load_turn(turn.pk).state == TurnState.CONCEALED
        second = only_turn(turn.match)
        open_now(second, box)
        vote(second, box, yellow=[3, 3])
        run_out(second, box)
        at_once(6, lambda own: close_turn(second.pk, own))
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    assert Counter(TallyRecord.objects.values_list("side", flat=True)) == {"red": 1, "yellow": 1}
    halves = 2 if game == SELECTOR else 1
    assert [t.number for t in turn.match.turns.order_by("pk")] == list(range(1, halves + 2))
    announced = kinds(turn.match.event_id)
    assert (announced.count("turn.concealed"), announced.count("turn.revealed")) == (halves - 1, 1)


# ------------------------------------------------------------------ the seal
def test_close_turn_stops_if_deadline_moves_away(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voting.turns.closing.MAX_EARLY_WAIT_MS", 5_000)  # moving the window takes a moment

    class MovedMeanwhile(BallotBox):
        def seal_all(self, turns: Sequence[BoxedTurn], prefetched: Prefetched = NOTHING) -> Any:
            (asked_turn,) = turns
            asked.append(asked_turn.turn_id)
            if len(asked) > 1:
                return super().seal_all(turns, prefetched)
            set_window(load_turn(asked_turn.turn_id), box, -1_000, 60_000)
            return {asked_turn.turn_id: TooEarly(self.now() + 50)}

    asked: list[int] = []
    turn = due()
    moved = MovedMeanwhile()
    close_turn(turn.pk, moved)
    moved.close()
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
    announcement = Announcement.objects.filter(event_id=turn.match.event_id).latest("seq")
    state = decode_change(bytes(announcement.body)).state
    assert state.match is not None
    assert state.match.reveal is not None
    assert state.match.reveal.sealed_at == first.sealed_at


@pytest.mark.parametrize("game", [CLASSIC, SELECTOR])
def test_late_worker_publishes_no_seal_of_closed_turn(
    game: str, box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not a seal of the side that moves next, in which phones would not find their votes."""
    published: list[TurnSealed] = []
    monkeypatch.setattr(closing, "publish_seals", lambda seals: published.extend(seals.values()))
    turn = due(red=[3], yellow=[5], game=game)
    slow = load_turn(turn.pk)
    close_turn(turn.pk, box)
    monkeypatch.setattr(closing, "_load_open_turns", lambda _: [slow])
    close_turn(turn.pk, box)
    assert [seal.turn for seal in published] == [turn.pk]


class SlowClockBox(BallotBox):
    """Like a cluster in which different nodes answer `now` and seal."""

    def now(self) -> int:
        return super().now() - 60_000


def test_turn_is_never_resolved_before_it_is_sealed(box: BallotBox, due: DueTurn) -> None:
    turn = due()
    behind = SlowClockBox()
    close_turn(turn.pk, behind)
    behind.close()
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


# ------------------------------------------------------------------ the commitment
class DiesAfterPublishing(BallotBox):
    """A process that dies between publishing its commitment and its transaction."""

    has_sealed = False

    def seal_all(self, turns: Sequence[BoxedTurn], prefetched: Prefetched = NOTHING) -> Any:
        self.has_sealed = True
        return super().seal_all(turns, prefetched)

    def now(self) -> int:
        if self.has_sealed:
            raise InterruptedError
        return super().now()


def test_seal_is_published_before_transaction_and_repeated_unchanged(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    open_now(turn, box)
    box.cast(to_boxed_turn(turn), with_blinds(ballots("red", [3, 3, 1]) + ballots("yellow", [6])))
    run_out(turn, box)
    with listening(valkey_url, turn.match.event) as listener:
        dying = DiesAfterPublishing()
        with pytest.raises(InterruptedError):
            close_turn(turn.pk, dying)
        dying.close()
        wait_until(lambda: listener.receive_all() and len(listener.received) == 1)
        assert load_turn(turn.pk).state == TurnState.OPEN
        assert not TallyRecord.objects.exists()
        close_turn(turn.pk, box)
        wait_until(lambda: listener.receive_all() and len(listener.received) == 3)
    (_, seq, first), (_, seq_again, again), (_, revealed, _) = listener.received
    assert seq == seq_again == NOT_A_CHANGE < revealed
    assert first == again
    message = msgspec.json.decode(first, type=TurnSealed)
    for side in SIDES:
        record = tally_of(turn, side)
        arrived = arrived_ballots(turn, side)
        assert getattr(message, side) == sort_ballots(turn.pk, side, arrived, commit_order=True).commitment
        assert getattr(message, side).root == record.root
    assert message.at == load_turn(turn.pk).sealed_at


def test_side_not_to_move_has_no_commitment(box: BallotBox, due: DueTurn, valkey_url: str) -> None:
    turn = due(game=CLASSIC, options={"first": "yellow"})
    with listening(valkey_url, turn.match.event) as listener:
        close_turn(turn.pk, box)
        wait_until(lambda: listener.receive_all() and len(listener.received) == 2)
    message = msgspec.json.decode(listener.received[0][2], type=TurnSealed)
    assert (message.red, message.yellow) == (None, Commitment(root=EMPTY_ROOT, ballots=0, order=EMPTY_ROOT))


def test_turn_closes_without_channel_layer_and_is_announced_later(
    box: BallotBox, due: DueTurn, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    turn = due()
    reachable = settings.CHANNEL_LAYERS
    unreachable = {"address": f"redis://{LOOPBACK}:{free_port()}/0"}
    settings.CHANNEL_LAYERS = {"default": reachable["default"] | {"CONFIG": {"hosts": [unreachable]}}}
    close_turn(turn.pk, box)
    assert "could not publish a seal" in caplog.text
    assert (load_turn(turn.pk).state, only_turn(turn.match).number) == (TurnState.RESOLVED, 2)
    assert tally_of(turn, "red").root == EMPTY_ROOT
    waiting = Announcement.objects.filter(event_id=turn.match.event_id, sent_at=None)
    assert waiting.count() == 1
    settings.CHANNEL_LAYERS = reachable
    relay()
    assert waiting.count() == 0


def test_root_includes_ballots_stored_only_in_database(box: BallotBox) -> None:
    """In the order they were stored, not by voter."""
    turn = start(box, window_s=601)
    open_now(turn, box)
    for at, voter in enumerate(("zz", "aa", "mm")):
        store_ballots(turn.pk, [Ballot(voter, "red", 2 + at, 1, 0, f"{at:032x}")], at)
    run_out(turn, box)
    close_turn(turn.pk, box)
    held = arrived_ballots(turn, "red")
    assert [ballot.voter for ballot in held] == ["zz", "aa", "mm"]
