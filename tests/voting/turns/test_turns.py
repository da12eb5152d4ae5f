"""A turn closes once, at its deadline, with all of its ballots."""

from collections import Counter

import pytest
from redis import Redis

from games.engine.game import Side
from games.matches import claim_turn
from games.models import Turn, TurnState
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import (
    kinds,
    only_turn,
    open_now,
    play_turn,
    run_out,
    set_window,
    start,
    tally_of,
    vote,
)
from voting.announcements.outbox import relay
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, BoxLost, Sealed, TooEarly
from voting.counting.ballots import Ballot, unpack_ballots
from voting.models import Announcement, TallyRecord
from voting.turns import closing
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db
NO_EXPIRY = -1


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
    assert [b.choice for b in play_and_unpack(turn, box, "red")] == [3, 4]


def play_and_unpack(turn: Turn, box: BallotBox, side: Side) -> tuple[Ballot, ...]:
    run_out(turn, box)
    close_turn(turn.pk, box)
    return unpack_ballots(bytes(tally_of(turn, side).sealed))


def test_close_turn_stores_tallies_and_opens_next_turn(box: BallotBox) -> None:
    turn = start(box, window_s=20, reveal_s=6)
    after = play_turn(turn, box, red=[3, 4, 4], yellow=[7])
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 4, 7)
    red, yellow = tally_of(turn, "red"), tally_of(turn, "yellow")
    assert (red.counts, red.ballots, red.pick, red.decided_by) == ([0, 0, 1, 2, 0, 0, 0], 3, 4, "plurality")
    assert (yellow.counts, yellow.ballots, yellow.pick) == ([0, 0, 0, 0, 0, 0, 1], 1, 7)
    held = unpack_ballots(bytes(red.sealed))
    assert [(b.voter, b.choice, b.arrival) for b in held] == [("red1", 3, 1), ("red2", 4, 2), ("red3", 4, 3)]
    following = only_turn(turn.match)
    assert after.resolved_at is not None
    assert (following.number, following.opens_at) == (2, after.resolved_at + 6_000)
    assert following.closes_at - following.opens_at == 20_000
    assert box.seal(to_boxed_turn(following)) == TooEarly(following.closes_at)


def test_box_with_missing_ballot_is_restored_with_the_rest(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[2, 2, 5])
    with Redis.from_url(valkey_url) as redis:
        redis.hdel(to_boxed_turn(turn).keys[1], "red3")
    run_out(turn, box)
    close_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.state, restored.epoch) == (TurnState.OPEN, 2)
    assert kinds(turn.match.event_id)[-1] == "turn.restored"
    assert len(play_and_unpack(restored, box, "red")) == 2


def test_close_turn_is_idempotent(box: BallotBox) -> None:
    turn = start(box)
    after = play_turn(turn, box, red=[1], yellow=[2])
    announced = kinds(turn.match.event_id)
    for _ in range(2):
        close_turn(turn.pk, box)
    assert load_turn(turn.pk).version == after.version
    assert kinds(turn.match.event_id) == announced
    assert turn.match.turns.count() == 2


def test_turn_extended_after_seal_is_not_closed(box: BallotBox, valkey_url: str) -> None:
    """An extension between the seal and the transaction wins, and no ballot is lost."""

    class ExtendedAfterSeal(BallotBox):
        def seal(self, turn: BoxedTurn) -> TooEarly | BoxLost | Sealed:
            answer = super().seal(turn)
            set_window(load_turn(turn.turn_id), box, -1_000, 30 * 24 * 3_600_000)
            return answer

    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3])
    run_out(turn, box)
    slow = ExtendedAfterSeal()
    close_turn(turn.pk, slow)
    slow.close()
    assert load_turn(turn.pk).state == TurnState.OPEN
    with Redis.from_url(valkey_url) as redis:
        for key in to_boxed_turn(turn).keys:
            assert redis.pttl(key) == NO_EXPIRY
    vote(load_turn(turn.pk), box, yellow=[4])
    assert len(play_and_unpack(load_turn(turn.pk), box, "red")) == 2
    assert tally_of(turn, "yellow").ballots == 1


def test_close_turn_relays_reveal_before_placing_next_box(box: BallotBox) -> None:
    unsent: list[int] = []

    class Watched(BallotBox):
        def place(self, turn: BoxedTurn, *, create: bool) -> bool:
            unsent.append(Announcement.objects.filter(sent_at=None).count())
            return super().place(turn, create=create)

    turn = start(box)
    run_out(turn, box)
    watched = Watched()
    close_turn(turn.pk, watched)
    watched.close()
    assert unsent == [0]
    assert kinds(turn.match.event_id)[-1] == "turn.revealed"


def test_window_moved_before_its_box_exists_is_applied(
    box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An organizer moves the window as soon as the reveal is announced."""

    def relay_and_move(event_id: int) -> None:
        relay(event_id)
        open_now(only_turn(turn.match), box)

    turn = start(box, window_s=20, reveal_s=6)
    run_out(turn, box)
    monkeypatch.setattr(closing, "relay", relay_and_move)
    close_turn(turn.pk, box)
    following = only_turn(turn.match)
    assert box.seal(to_boxed_turn(following)) == TooEarly(following.closes_at)
    vote(following, box, red=[3])
    assert len(play_and_unpack(following, box, "red")) == 1


# ------------------------------------------------------------------ concurrency
@pytest.mark.django_db(transaction=True)
def test_concurrent_closes_close_turn_once(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3], yellow=[5])
    run_out(turn, box)
    at_once(6, lambda own: close_turn(turn.pk, own))
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    assert Counter(TallyRecord.objects.values_list("side", flat=True)) == {"red": 1, "yellow": 1}
    assert [t.number for t in turn.match.turns.order_by("pk")] == [1, 2]
    assert kinds(turn.match.event_id).count("turn.revealed") == 1


@pytest.mark.django_db(transaction=True)
def test_claim_turn_refuses_older_version(box: BallotBox) -> None:
    """The losing process read the turn before the winner wrote it."""
    turn = start(box)
    at_once(4, lambda own: set_if_first(turn.pk, own))
    assert load_turn(turn.pk).version == 2


def set_if_first(turn_id: int, box: BallotBox) -> None:
    turn = Turn.objects.get(pk=turn_id)
    turn.version = 1
    claim_turn(turn, closes_at=box.now() + 10_000)
