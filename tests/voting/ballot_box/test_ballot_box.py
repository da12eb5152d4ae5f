"""The scripts, in a real Valkey: a ballot counts once in an open window, and a seal is for good."""

from collections.abc import Sequence
from dataclasses import replace

from django.conf import settings
from redis import Redis

from tests.deploy.processes import wait_until
from tests.voting.boxes import (
    EVENT,
    HOUR_MS,
    R1,
    TURN,
    Y2,
    cast,
    over,
    replace_arrival,
    running,
    sealed,
    turn,
    voted,
)
from voting.ballot_box.ballot_box import KEPT_AFTER_MS, MAX_BATCH, BallotBox
from voting.ballot_box.types import BoxedTurn, Cast, Early, Lost
from voting.counting.ballots import Ballot

__all__ = ["turn"]
NO_EXPIRY = -1


# ------------------------------------------------------------------ cast
def test_a_ballot_in_an_open_window_counts_once(turn: BoxedTurn, box: BallotBox) -> None:
    assert cast(turn, R1) == [Cast.OK]
    assert cast(turn, R1) == [Cast.DUP]
    assert voted() == (1, 0)
    assert sealed(over(turn, box), box) == (replace_arrival(R1, 1),)


def test_a_changed_vote_replaces_the_earlier_one_and_arrives_anew(turn: BoxedTurn, box: BallotBox) -> None:
    changed = Ballot("v1", "red", 5, 2)
    assert cast(turn, R1, Y2, changed) == [Cast.OK] * 3
    assert voted() == (1, 1)
    assert sealed(over(turn, box), box) == (replace_arrival(Y2, 2), replace_arrival(changed, 3))


def test_the_totals_follow_a_voter_to_the_other_side(turn: BoxedTurn) -> None:
    assert cast(turn, R1, Ballot("v1", "yellow", 3, 2)) == [Cast.OK, Cast.OK]
    assert voted() == (0, 1)


def test_a_ballot_for_the_other_side_is_no_repetition(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, R1)
    assert cast(turn, Ballot("v1", "yellow", R1.choice, R1.sequence)) == [-R1.sequence]
    assert sealed(over(turn, box), box) == (replace_arrival(R1, 1),)


def test_an_older_ballot_is_told_the_newer_sequence(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, Ballot("v1", "red", 3, 5))
    assert cast(turn, Ballot("v1", "red", 6, 4)) == [-5]
    assert cast(turn, Ballot("v1", "red", 6, 5)) == [-5]
    assert [b.choice for b in sealed(over(turn, box), box)] == [3]


def test_before_the_opening_a_ballot_is_early(box: BallotBox) -> None:
    now = box.now()
    turn = BoxedTurn(EVENT, TURN, 1, 1, now + HOUR_MS, now + 2 * HOUR_MS)
    box.place(turn, create=True)
    assert cast(turn, R1) == [Cast.EARLY]
    assert voted() == (0, 0)


def test_after_the_deadline_a_new_ballot_is_late_and_a_counted_one_still_counts(
    turn: BoxedTurn, box: BallotBox
) -> None:
    cast(turn, R1)
    later = over(turn, box)
    assert cast(later, R1, Y2, Ballot("v1", "red", 4, 2)) == [Cast.DUP, Cast.LATE, Cast.LATE]
    assert sealed(later, box) == (replace_arrival(R1, 1),)


def test_the_deadline_is_by_the_clock_of_the_box(box: BallotBox) -> None:
    """Nobody says that time is up: between one answer and the next it is."""
    now = box.now()
    turn = BoxedTurn(EVENT, TURN, 1, 1, now - 1, now + 3_000)
    box.place(turn, create=True)
    assert isinstance(box.seal(turn), Early)
    answers: list[int] = []

    def time_is_up() -> bool:
        answers.extend(cast(turn, Ballot("v", "red", 1, len(answers) + 1)))
        return answers[-1] == Cast.LATE

    wait_until(time_is_up)
    assert set(answers[:-1]) <= {Cast.OK}
    assert box.now() >= turn.closes_at
    assert len(sealed(turn, box)) == min(1, len(answers) - 1)


def test_a_turn_that_the_box_does_not_hold_is_unknown(box: BallotBox) -> None:
    assert cast(running(box), R1) == [Cast.UNKNOWN]
    assert voted() == (0, 0)


def test_a_box_from_before_the_loss_is_unknown_to_who_knows_of_it(turn: BoxedTurn, box: BallotBox) -> None:
    assert cast(turn, R1, epoch=2) == [Cast.UNKNOWN]
    box.place(replace(turn, version=2, epoch=2), create=False)
    assert cast(turn, R1, epoch=2) == [Cast.OK]


def test_a_gateway_that_has_not_heard_of_the_loss_yet_may_cast(turn: BoxedTurn, box: BallotBox) -> None:
    box.place(replace(turn, version=2, epoch=2), create=False)
    assert cast(turn, R1, epoch=1) == [Cast.OK]


def test_the_same_voter_twice_in_a_batch(turn: BoxedTurn, box: BallotBox) -> None:
    second = Ballot("v1", "red", 4, 2)
    assert cast(turn, second, R1, second) == [Cast.OK, -2, Cast.DUP]
    assert voted() == (1, 0)
    assert sealed(over(turn, box), box) == (replace_arrival(second, 1),)


def test_a_batch_sent_again_changes_nothing(turn: BoxedTurn, box: BallotBox) -> None:
    batch = [R1, Y2, Ballot("v3", "red", 1, 1), Ballot("v1", "red", 7, 2)]
    assert cast(turn, *batch) == [Cast.OK] * 4
    assert cast(turn, *batch) == [-2, Cast.DUP, Cast.DUP, Cast.DUP]
    assert voted() == (2, 1)
    assert [b.arrival for b in sealed(over(turn, box), box)] == [2, 3, 4]


def test_a_batch_as_large_as_may_be(turn: BoxedTurn, box: BallotBox) -> None:
    crowd = [Ballot(f"v{i}", "red" if i % 3 else "yellow", i % 7 + 1, 1) for i in range(MAX_BATCH)]
    assert cast(turn, *crowd) == [Cast.OK] * MAX_BATCH
    assert voted() == (1333, 667)
    held = sealed(over(turn, box), box)
    assert [(b.voter, b.side, b.choice) for b in held] == [(b.voter, b.side, b.choice) for b in crowd]


def test_more_ballots_than_a_batch_are_put_back_into_a_lost_box(turn: BoxedTurn, box: BallotBox) -> None:
    box.cast(turn, [Ballot(f"v{i}", "red", 1, 1) for i in range(MAX_BATCH + 1)])
    assert voted() == (MAX_BATCH + 1, 0)


def test_a_sealed_box_takes_nothing_even_if_its_clock_went_back(turn: BoxedTurn, box: BallotBox) -> None:
    later = over(turn, box)
    sealed(later, box)
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.hset(later.keys[0], "closes_at", box.now() + HOUR_MS)
    assert cast(later, R1) == [Cast.LATE]
    assert sealed(later, box) == ()


def test_batches_have_an_answer_a_ballot(turn: BoxedTurn) -> None:
    batches: Sequence[list[Ballot]] = [[R1], [R1, Y2]]
    assert [len(cast(turn, *batch)) for batch in batches] == [1, 2]


# ------------------------------------------------------------------ place
def test_a_box_is_only_made_when_asked_for(box: BallotBox) -> None:
    turn = running(box)
    assert not box.place(turn, create=False)
    assert isinstance(box.seal(turn), Lost)
    assert box.place(turn, create=True)
    assert box.place(turn, create=False)


def test_a_version_is_never_lowered(turn: BoxedTurn, box: BallotBox) -> None:
    newer = replace(turn, version=3, closes_at=turn.closes_at + 5_000)
    box.place(newer, create=False)
    assert box.place(replace(turn, version=2, closes_at=0), create=True)
    assert cast(newer, R1) == [Cast.OK]
    assert box.seal(turn) == Early(newer.closes_at)


def test_a_newer_version_unseals_and_the_same_one_does_not(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, R1)
    later = over(turn, box)
    assert len(sealed(later, box)) == 1
    box.place(replace(later, closes_at=turn.closes_at), create=True)
    assert cast(later, Y2) == [Cast.LATE]
    box.place(replace(turn, version=later.version + 1), create=False)
    assert cast(turn, Y2) == [Cast.OK]
    assert voted() == (1, 1)


def test_the_box_lasts_as_long_as_its_turn_and_an_hour_more(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, R1)
    with Redis.from_url(settings.REDIS_URL) as redis:
        for key in turn.keys:
            assert redis.pttl(key) == NO_EXPIRY
        box.expire(EVENT, TURN)
        for key in turn.keys:
            assert 0 < redis.pttl(key) <= KEPT_AFTER_MS


# ------------------------------------------------------------------ seal
def test_a_seal_before_the_deadline_is_early_and_freezes_nothing(turn: BoxedTurn, box: BallotBox) -> None:
    assert box.seal(turn) == Early(turn.closes_at)
    assert cast(turn, R1) == [Cast.OK]


def test_a_seal_gives_the_same_answer_again(turn: BoxedTurn, box: BallotBox) -> None:
    cast(turn, R1, Y2)
    later = over(turn, box)
    first = sealed(later, box)
    assert cast(later, Ballot("v3", "red", 1, 1)) == [Cast.LATE]
    assert sealed(later, box) == first


def test_a_seal_brings_an_older_box_up_to_date(turn: BoxedTurn, box: BallotBox) -> None:
    """Whoever moved the deadline in the database and died is made good."""
    cast(turn, R1)
    moved = replace(turn, version=2, closes_at=box.now())
    assert sealed(moved, box) == (replace_arrival(R1, 1),)
    extended = replace(turn, version=3)
    assert box.seal(extended) == Early(extended.closes_at)
    assert cast(extended, Y2) == [Cast.OK]


def test_a_seal_of_an_older_version_goes_by_the_newer_deadline(turn: BoxedTurn, box: BallotBox) -> None:
    later = over(turn, box)
    box.place(replace(turn, version=later.version + 1), create=False)
    assert box.seal(later) == Early(turn.closes_at)
