"""The door of an event: players before newcomers, as many as it can take, an appointment for the rest."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from redis import RedisError

from tests.voting.boxes import EVENT, HOUR_MS, TURN
from tests.voting.gateway_helpers import FakeSocket, playing
from voting.admission.seats import Seat, new_seat
from voting.ballot_box.ballot_box import AsyncBallotBox, BallotBox
from voting.ballot_box.intake import Intake
from voting.ballot_box.types import BoxedTurn
from voting.counting.ballots import Ballot
from voting.gateway.admission_queue import (
    FULL_RETRY_MS,
    JOINS_AT_ONCE,
    WAITING_AT_LEAST,
    AdmissionQueue,
    AdmittedVoter,
    Crowded,
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
    entered: list[AdmittedVoter]

    async def come(self, seat: Seat | None = None, wish: int | None = None) -> AdmittedVoter | Crowded:
        try:
            admitted = await self.admission_queue.admit(seat, wish)
        except Crowded as crowded:
            return crowded
        self.entered.append(admitted)
        return admitted

    def player(self) -> Seat:
        return new_seat(EVENT, 1)


def with_admission_queue(scene: Callable[[Harness], Awaitable[None]]) -> None:
    async def held() -> None:
        box = AsyncBallotBox()
        room = EventRoom(EVENT, 1, playing(TURN), Intake(box, NO_STORE))
        try:
            async with asyncio.timeout(30):
                await scene(Harness(AdmissionQueue(room, box), room, box, []))
        finally:
            await box.close()

    asyncio.run(held())


def test_newcomers_get_a_seat_in_the_smaller_team_or_the_one_wished_for() -> None:
    async def scene(harness: Harness) -> None:
        admitted_voters = await asyncio.gather(*[harness.come() for _ in range(6)], harness.come(wish=2))
        teams = [admitted.seat.team for admitted in admitted_voters if isinstance(admitted, AdmittedVoter)]
        assert (sorted(teams[:6]), teams[6]) == ([1, 1, 1, 2, 2, 2], 2)
        voters = {admitted.seat.voter for admitted in harness.entered}
        assert len(voters) == 7

    with_admission_queue(scene)


def test_a_player_is_told_the_ballot_that_counts(box: BallotBox) -> None:
    now = box.now()
    box.place(turn := BoxedTurn(EVENT, TURN, 1, 1, now - 1_000, now + HOUR_MS), create=True)

    async def scene(harness: Harness) -> None:
        first, second = harness.player(), harness.player()
        await harness.box.cast(EVENT, TURN, turn.epoch, [Ballot(first.voter, "red", 3, 2)])
        voted, not_yet, _ = await asyncio.gather(harness.come(first), harness.come(second), harness.come())
        assert voted == AdmittedVoter(first, (TURN, 1), Ballot(first.voter, "red", 3, 2, 1))
        assert not_yet == AdmittedVoter(second, (TURN, 1), None)

    with_admission_queue(scene)


def test_players_overtake_newcomers_who_came_before_them() -> None:
    async def scene(harness: Harness) -> None:
        new_voters = [asyncio.create_task(harness.come()) for _ in range(JOINS_AT_ONCE * 4)]
        await asyncio.sleep(0)
        seats = [harness.player() for _ in range(JOINS_AT_ONCE)]
        await asyncio.gather(*new_voters, *[harness.come(seat) for seat in seats])
        ranks = [rank for rank, admitted in enumerate(harness.entered) if admitted.seat in seats]
        assert max(ranks) < JOINS_AT_ONCE * 2
        assert len(harness.entered) == JOINS_AT_ONCE * 5

    with_admission_queue(scene)


def slow_down(box: AsyncBallotBox, seconds: float) -> None:
    """As if each call were followed by what else a gateway has to do for those who come in."""
    seats = box.seats

    async def slowly(event_id: int, wishes: Sequence[int]) -> list[int]:
        await asyncio.sleep(seconds)
        return await seats(event_id, wishes)

    box.seats = slowly  # type: ignore[method-assign]


def test_a_thousand_at_once_get_in_and_of_ten_thousand_the_last_are_spread() -> None:
    async def scene(harness: Harness) -> None:
        slow_down(harness.box, 0.05)
        first = await asyncio.gather(*[harness.come() for _ in range(1_000)])
        assert not any(isinstance(outcome, Crowded) for outcome in first)
        outcomes = await asyncio.gather(
            *[harness.come() for _ in range(10_000)], *[harness.come(harness.player()) for _ in range(1_000)]
        )
        hints = [outcome.within_ms for outcome in outcomes if isinstance(outcome, Crowded)]
        assert 10_000 - len(hints) >= WAITING_AT_LEAST
        assert not any(isinstance(outcome, Crowded) for outcome in outcomes[10_000:])
        assert max(hints) - min(hints) > harness.admission_queue.within_ms(len(hints))

    with_admission_queue(scene)


def test_a_full_event_takes_in_whoever_comes_once_somebody_has_left(settings: Any) -> None:
    settings.EVENT_PHONES = 3

    async def scene(harness: Harness) -> None:
        sockets = [FakeSocket() for _ in range(3)]
        for socket in sockets:
            admitted = await harness.come()
            assert isinstance(admitted, AdmittedVoter)
            socket.seat = admitted.seat
            harness.room.sit(socket, admitted.seat)
        for seat in (None, harness.player()):
            outcome = await harness.come(seat)
            assert isinstance(outcome, Crowded)
            assert outcome.within_ms == FULL_RETRY_MS
        harness.room.leave(sockets[0], sockets[0].seat)
        assert isinstance(await harness.come(), AdmittedVoter)

    with_admission_queue(scene)


def test_strangers_who_wait_keep_nobody_out_and_are_no_more_than_may_play(settings: Any) -> None:
    settings.EVENT_PHONES = 3

    async def scene(harness: Harness) -> None:
        unseated = [FakeSocket() for _ in range(3)]
        for socket in unseated:
            harness.admission_queue.check_unseated(socket)
            harness.room.add_unseated(socket)
        harness.admission_queue.check_unseated(unseated[0])
        with pytest.raises(Crowded):
            harness.admission_queue.check_unseated(FakeSocket())
        admitted = await harness.come(harness.player())
        assert isinstance(admitted, AdmittedVoter)
        harness.room.sit(unseated[0], admitted.seat)
        harness.admission_queue.check_unseated(FakeSocket())
        assert isinstance(await harness.come(), AdmittedVoter)
        harness.room.leave(unseated[1], None)
        assert harness.room.unseated == {unseated[2]}

    with_admission_queue(scene)


def test_one_who_knocks_again_and_again_sends_nobody_away_for_long() -> None:
    async def scene(harness: Harness) -> None:
        slow_down(harness.box, 0.05)
        waiting = [asyncio.create_task(harness.come()) for _ in range(6_000)]
        await asyncio.sleep(0)
        for _ in range(20_000):
            outcome = await harness.come()
            assert isinstance(outcome, Crowded)
            assert outcome.within_ms <= MAX_RETRY_MS
        assert harness.admission_queue.within_ms(1_000_000) == MAX_RETRY_MS
        for task in waiting:
            task.cancel()

    with_admission_queue(scene)


def test_who_has_gone_meanwhile_takes_no_seat() -> None:
    async def scene(harness: Harness) -> None:
        staying = [asyncio.create_task(harness.come()) for _ in range(JOINS_AT_ONCE)]
        going = [asyncio.create_task(harness.come()) for _ in range(JOINS_AT_ONCE)]
        await asyncio.sleep(0)
        for task in going:
            task.cancel()
        await asyncio.gather(*staying, *going, return_exceptions=True)
        last = await harness.come()
        assert isinstance(last, AdmittedVoter)
        assert len(harness.entered) == JOINS_AT_ONCE + 1
        teams = [admitted.seat.team for admitted in harness.entered]
        assert abs(teams.count(1) - teams.count(2)) <= 1

    with_admission_queue(scene)


def test_a_box_that_is_away_is_told_to_all_who_wait_and_the_door_goes_on() -> None:
    async def scene(harness: Harness) -> None:
        seats = harness.box.seats

        async def away(event_id: int, wishes: Any) -> list[int]:
            raise RedisError("away")

        harness.box.seats = away  # type: ignore[method-assign]
        outcomes = await asyncio.gather(*[harness.come() for _ in range(3)], return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [RedisError] * 3
        harness.box.seats = seats  # type: ignore[method-assign]
        assert isinstance(await harness.come(), AdmittedVoter)

    with_admission_queue(scene)
