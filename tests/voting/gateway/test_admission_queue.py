"""The admission queue: voters with a seat go first, and clients beyond capacity get a time to retry."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from redis import RedisError

from tests.voting.box_helpers import EVENT, HOUR_MS, TURN
from tests.voting.gateway_helpers import FakeSocket, playing
from voting.admission.seats import Seat, new_seat
from voting.ballot_box.ballot_box import AsyncBallotBox, BallotBox
from voting.ballot_box.box_types import BoxedTurn
from voting.ballot_box.intake import Intake
from voting.counting.ballots import Ballot
from voting.gateway.admission_queue import (
    FULL_RETRY_MS,
    INITIAL_RATE,
    JOIN_BATCH_SIZE,
    MIN_QUEUE_LENGTH,
    AdmissionQueue,
    AdmissionRate,
    AdmittedVoter,
    RetryLater,
)
from voting.gateway.event_room import EventRoom
from voting.protocol import MAX_RETRY_MS

pytestmark = pytest.mark.usefixtures("valkey_url")
NO_STORE: Any = None


@dataclass
class Harness:
    admission_queue: AdmissionQueue
    room: EventRoom
    box: AsyncBallotBox
    joined: list[AdmittedVoter]

    async def join(self, seat: Seat | None = None, wish: int | None = None) -> AdmittedVoter | RetryLater:
        try:
            admitted = await self.admission_queue.admit(seat, wish)
        except RetryLater as crowded:
            return crowded
        self.joined.append(admitted)
        return admitted

    def player(self) -> Seat:
        return new_seat(EVENT, 1)


def with_admission_queue(scenario: Callable[[Harness], Awaitable[None]]) -> None:
    async def held() -> None:
        box = AsyncBallotBox()
        room = EventRoom(EVENT, 1, playing(TURN), Intake(box, NO_STORE))
        try:
            async with asyncio.timeout(30):
                await scenario(Harness(AdmissionQueue(room, box), room, box, []))
        finally:
            await box.close()

    asyncio.run(held())


def test_new_voters_get_seat_in_smaller_or_chosen_team() -> None:
    async def scenario(harness: Harness) -> None:
        admitted_voters = await asyncio.gather(*[harness.join() for _ in range(6)], harness.join(wish=2))
        teams = [admitted.seat.team for admitted in admitted_voters if isinstance(admitted, AdmittedVoter)]
        assert (sorted(teams[:6]), teams[6]) == ([1, 1, 1, 2, 2, 2], 2)
        voters = {admitted.seat.voter for admitted in harness.joined}
        assert len(voters) == 7

    with_admission_queue(scenario)


def test_admitted_player_receives_counted_ballot(box: BallotBox) -> None:
    now = box.now()
    box.place(turn := BoxedTurn(EVENT, TURN, 1, 1, now - 1_000, now + HOUR_MS), create=True)

    async def scenario(harness: Harness) -> None:
        first, second = harness.player(), harness.player()
        await harness.box.cast(EVENT, TURN, turn.epoch, [Ballot(first.voter, "red", 3, 2)])
        voted, not_yet, _ = await asyncio.gather(harness.join(first), harness.join(second), harness.join())
        assert voted == AdmittedVoter(first, (TURN, 1), Ballot(first.voter, "red", 3, 2, 1))
        assert not_yet == AdmittedVoter(second, (TURN, 1), None)

    with_admission_queue(scenario)


def test_players_overtake_waiting_new_voters() -> None:
    async def scenario(harness: Harness) -> None:
        new_voters = [asyncio.create_task(harness.join()) for _ in range(JOIN_BATCH_SIZE * 4)]
        await asyncio.sleep(0)
        seats = [harness.player() for _ in range(JOIN_BATCH_SIZE)]
        await asyncio.gather(*new_voters, *[harness.join(seat) for seat in seats])
        ranks = [rank for rank, admitted in enumerate(harness.joined) if admitted.seat in seats]
        assert max(ranks) < JOIN_BATCH_SIZE * 2
        assert len(harness.joined) == JOIN_BATCH_SIZE * 5

    with_admission_queue(scenario)


def slow_down(box: AsyncBallotBox, seconds: float) -> None:
    """Delay each call, like the other work that a gateway does for each joining client."""
    assign_teams = box.assign_teams

    async def slowly(event_id: int, wishes: Sequence[int]) -> list[int]:
        await asyncio.sleep(seconds)
        return await assign_teams(event_id, wishes)

    box.assign_teams = slowly  # type: ignore[method-assign]


def test_admission_queue_spreads_retries_of_large_crowd() -> None:
    async def scenario(harness: Harness) -> None:
        slow_down(harness.box, 0.05)
        first = await asyncio.gather(*[harness.join() for _ in range(1_000)])
        assert not any(isinstance(outcome, RetryLater) for outcome in first)
        outcomes = await asyncio.gather(
            *[harness.join() for _ in range(10_000)], *[harness.join(harness.player()) for _ in range(1_000)]
        )
        delays_ms = [outcome.within_ms for outcome in outcomes if isinstance(outcome, RetryLater)]
        assert 10_000 - len(delays_ms) >= MIN_QUEUE_LENGTH
        assert not any(isinstance(outcome, RetryLater) for outcome in outcomes[10_000:])
        assert max(delays_ms) - min(delays_ms) > harness.admission_queue.within_ms(len(delays_ms))

    with_admission_queue(scenario)


def test_full_event_admits_again_after_a_phone_leaves(settings: Any) -> None:
    settings.EVENT_PHONES = 3

    async def scenario(harness: Harness) -> None:
        sockets = [FakeSocket() for _ in range(3)]
        for socket in sockets:
            admitted = await harness.join()
            assert isinstance(admitted, AdmittedVoter)
            socket.seat = admitted.seat
            harness.room.add_voter(socket, admitted.seat)
        for seat in (None, harness.player()):
            outcome = await harness.join(seat)
            assert isinstance(outcome, RetryLater)
            assert outcome.within_ms == FULL_RETRY_MS
        harness.room.leave(sockets[0], sockets[0].seat)
        assert isinstance(await harness.join(), AdmittedVoter)

    with_admission_queue(scenario)


def test_unseated_sockets_are_limited_and_do_not_block_players(settings: Any) -> None:
    settings.EVENT_PHONES = 3

    async def scenario(harness: Harness) -> None:
        unseated = [FakeSocket() for _ in range(3)]
        for socket in unseated:
            harness.admission_queue.check_unseated(socket)
            harness.room.add_unseated(socket)
        harness.admission_queue.check_unseated(unseated[0])
        with pytest.raises(RetryLater):
            harness.admission_queue.check_unseated(FakeSocket())
        admitted = await harness.join(harness.player())
        assert isinstance(admitted, AdmittedVoter)
        harness.room.add_voter(unseated[0], admitted.seat)
        harness.admission_queue.check_unseated(FakeSocket())
        assert isinstance(await harness.join(), AdmittedVoter)
        harness.room.leave(unseated[1], None)
        assert harness.room.unseated == {unseated[2]}

    with_admission_queue(scenario)


def test_repeated_attempts_do_not_lengthen_retry_of_others() -> None:
    async def scenario(harness: Harness) -> None:
        slow_down(harness.box, 0.05)
        waiting = [asyncio.create_task(harness.join()) for _ in range(6_000)]
        await asyncio.sleep(0)
        for _ in range(20_000):
            outcome = await harness.join()
            assert isinstance(outcome, RetryLater)
            assert outcome.within_ms <= MAX_RETRY_MS
        assert harness.admission_queue.within_ms(1_000_000) == MAX_RETRY_MS
        for task in waiting:
            task.cancel()

    with_admission_queue(scenario)


def test_cancelled_admission_takes_no_seat() -> None:
    async def scenario(harness: Harness) -> None:
        staying = [asyncio.create_task(harness.join()) for _ in range(JOIN_BATCH_SIZE)]
        going = [asyncio.create_task(harness.join()) for _ in range(JOIN_BATCH_SIZE)]
        await asyncio.sleep(0)
        for task in going:
            task.cancel()
        await asyncio.gather(*staying, *going, return_exceptions=True)
        last = await harness.join()
        assert isinstance(last, AdmittedVoter)
        assert len(harness.joined) == JOIN_BATCH_SIZE + 1
        teams = [admitted.seat.team for admitted in harness.joined]
        assert abs(teams.count(1) - teams.count(2)) <= 1

    with_admission_queue(scenario)


def test_admission_queue_reports_unreachable_box_and_recovers() -> None:
    async def scenario(harness: Harness) -> None:
        assign_teams = harness.box.assign_teams

        async def away(event_id: int, wishes: Any) -> list[int]:
            raise RedisError("away")

        harness.box.assign_teams = away  # type: ignore[method-assign]
        outcomes = await asyncio.gather(*[harness.join() for _ in range(3)], return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [RedisError] * 3
        harness.box.assign_teams = assign_teams  # type: ignore[method-assign]
        assert isinstance(await harness.join(), AdmittedVoter)

    with_admission_queue(scenario)


def test_admission_limit_counts_voters_who_wait(settings: Any) -> None:
    settings.EVENT_PHONES = 5

    async def scenario(harness: Harness) -> None:
        outcomes = await asyncio.gather(*[harness.join() for _ in range(8)])
        refused = [outcome.within_ms for outcome in outcomes if isinstance(outcome, RetryLater)]
        assert (len(harness.joined), refused) == (5, [FULL_RETRY_MS] * 3)

    with_admission_queue(scenario)


def test_clients_retry_on_average_when_their_turn_comes() -> None:
    """A client retries at a random time within its limit, on average after half of it."""
    waiting_s = 4
    rate = AdmissionRate()
    limits_ms = [rate.schedule_retry(round(waiting_s * INITIAL_RATE)) for _ in range(round(INITIAL_RATE))]
    assert limits_ms[0] == pytest.approx(2 * waiting_s * 1000, rel=0.01)
    assert limits_ms[-1] == pytest.approx(2 * (waiting_s + 1) * 1000, rel=0.05)
