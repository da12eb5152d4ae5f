"""The door of an event: players before newcomers, as many as it can take, an appointment for the rest."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from redis import RedisError

from tests.voting.boxes import EVENT, HOUR_MS, TURN
from tests.voting.rooms import Ear, playing
from voting.admission.seats import Seat, new_seat
from voting.ballot_box.ballot_box import AsyncBallotBox, BallotBox
from voting.ballot_box.intake import Intake
from voting.ballot_box.types import BoxedTurn
from voting.counting.ballots import Ballot
from voting.gateway.admission_queue import (
    FULL_RETRY_MS,
    JOINS_AT_ONCE,
    WAITING_AT_LEAST,
    Crowded,
    Door,
    Entry,
)
from voting.gateway.event_room import Room
from voting.protocol import MAX_RETRY_MS

pytestmark = pytest.mark.usefixtures("valkey_url")
NO_STORE: Any = None


@dataclass
class Hall:
    door: Door
    room: Room
    box: AsyncBallotBox
    entered: list[Entry]

    async def come(self, seat: Seat | None = None, wish: int | None = None) -> Entry | Crowded:
        try:
            entry = await self.door.let_in(seat, wish)
        except Crowded as crowded:
            return crowded
        self.entered.append(entry)
        return entry

    def player(self) -> Seat:
        return new_seat(EVENT, 1)


def at_the_door(scene: Callable[[Hall], Awaitable[None]]) -> None:
    async def held() -> None:
        box = AsyncBallotBox()
        room = Room(EVENT, 1, playing(TURN), Intake(box, NO_STORE))
        try:
            async with asyncio.timeout(30):
                await scene(Hall(Door(room, box), room, box, []))
        finally:
            await box.close()

    asyncio.run(held())


def test_newcomers_get_a_seat_in_the_smaller_team_or_the_one_wished_for() -> None:
    async def scene(hall: Hall) -> None:
        entries = await asyncio.gather(*[hall.come() for _ in range(6)], hall.come(wish=2))
        teams = [entry.seat.team for entry in entries if isinstance(entry, Entry)]
        assert (sorted(teams[:6]), teams[6]) == ([1, 1, 1, 2, 2, 2], 2)
        voters = {entry.seat.voter for entry in hall.entered}
        assert len(voters) == 7

    at_the_door(scene)


def test_a_player_is_told_the_ballot_that_counts(box: BallotBox) -> None:
    now = box.now()
    box.place(turn := BoxedTurn(EVENT, TURN, 1, 1, now - 1_000, now + HOUR_MS), create=True)

    async def scene(hall: Hall) -> None:
        first, second = hall.player(), hall.player()
        await hall.box.cast(EVENT, TURN, turn.epoch, [Ballot(first.voter, "red", 3, 2)])
        voted, not_yet, _ = await asyncio.gather(hall.come(first), hall.come(second), hall.come())
        assert voted == Entry(first, (TURN, 1), Ballot(first.voter, "red", 3, 2, 1))
        assert not_yet == Entry(second, (TURN, 1), None)

    at_the_door(scene)


def test_players_overtake_newcomers_who_came_before_them() -> None:
    async def scene(hall: Hall) -> None:
        newcomers = [asyncio.create_task(hall.come()) for _ in range(JOINS_AT_ONCE * 4)]
        await asyncio.sleep(0)
        seats = [hall.player() for _ in range(JOINS_AT_ONCE)]
        await asyncio.gather(*newcomers, *[hall.come(seat) for seat in seats])
        ranks = [rank for rank, entry in enumerate(hall.entered) if entry.seat in seats]
        assert max(ranks) < JOINS_AT_ONCE * 2
        assert len(hall.entered) == JOINS_AT_ONCE * 5

    at_the_door(scene)


def slow_down(box: AsyncBallotBox, seconds: float) -> None:
    """As if each call were followed by what else a gateway has to do for those who come in."""
    seats = box.seats

    async def slowly(event_id: int, wishes: Sequence[int]) -> list[int]:
        await asyncio.sleep(seconds)
        return await seats(event_id, wishes)

    box.seats = slowly  # type: ignore[method-assign]


def test_a_thousand_at_once_get_in_and_of_ten_thousand_the_last_are_spread() -> None:
    async def scene(hall: Hall) -> None:
        slow_down(hall.box, 0.05)
        first = await asyncio.gather(*[hall.come() for _ in range(1_000)])
        assert not any(isinstance(told, Crowded) for told in first)
        outcomes = await asyncio.gather(
            *[hall.come() for _ in range(10_000)], *[hall.come(hall.player()) for _ in range(1_000)]
        )
        hints = [told.within_ms for told in outcomes if isinstance(told, Crowded)]
        assert 10_000 - len(hints) >= WAITING_AT_LEAST
        assert not any(isinstance(told, Crowded) for told in outcomes[10_000:])
        assert max(hints) - min(hints) > hall.door.within_ms(len(hints))

    at_the_door(scene)


def test_a_full_event_takes_in_whoever_comes_once_somebody_has_left(settings: Any) -> None:
    settings.EVENT_PHONES = 3

    async def scene(hall: Hall) -> None:
        ears = [Ear() for _ in range(3)]
        for ear in ears:
            entry = await hall.come()
            assert isinstance(entry, Entry)
            ear.seat = entry.seat
            hall.room.sit(ear, entry.seat)
        for seat in (None, hall.player()):
            told = await hall.come(seat)
            assert isinstance(told, Crowded)
            assert told.within_ms == FULL_RETRY_MS
        hall.room.leave(ears[0], ears[0].seat)
        assert isinstance(await hall.come(), Entry)

    at_the_door(scene)


def test_strangers_who_wait_keep_nobody_out_and_are_no_more_than_may_play(settings: Any) -> None:
    settings.EVENT_PHONES = 3

    async def scene(hall: Hall) -> None:
        strangers = [Ear() for _ in range(3)]
        for ear in strangers:
            hall.door.check_stranger(ear)
            hall.room.let_wait(ear)
        hall.door.check_stranger(strangers[0])
        with pytest.raises(Crowded):
            hall.door.check_stranger(Ear())
        entry = await hall.come(hall.player())
        assert isinstance(entry, Entry)
        hall.room.sit(strangers[0], entry.seat)
        hall.door.check_stranger(Ear())
        assert isinstance(await hall.come(), Entry)
        hall.room.leave(strangers[1], None)
        assert hall.room.strangers == {strangers[2]}

    at_the_door(scene)


def test_one_who_knocks_again_and_again_sends_nobody_away_for_long() -> None:
    async def scene(hall: Hall) -> None:
        slow_down(hall.box, 0.05)
        waiting = [asyncio.create_task(hall.come()) for _ in range(6_000)]
        await asyncio.sleep(0)
        for _ in range(20_000):
            told = await hall.come()
            assert isinstance(told, Crowded)
            assert told.within_ms <= MAX_RETRY_MS
        assert hall.door.within_ms(1_000_000) == MAX_RETRY_MS
        for task in waiting:
            task.cancel()

    at_the_door(scene)


def test_who_has_gone_meanwhile_takes_no_seat() -> None:
    async def scene(hall: Hall) -> None:
        staying = [asyncio.create_task(hall.come()) for _ in range(JOINS_AT_ONCE)]
        going = [asyncio.create_task(hall.come()) for _ in range(JOINS_AT_ONCE)]
        await asyncio.sleep(0)
        for task in going:
            task.cancel()
        await asyncio.gather(*staying, *going, return_exceptions=True)
        last = await hall.come()
        assert isinstance(last, Entry)
        assert len(hall.entered) == JOINS_AT_ONCE + 1
        teams = [entry.seat.team for entry in hall.entered]
        assert abs(teams.count(1) - teams.count(2)) <= 1

    at_the_door(scene)


def test_a_box_that_is_away_is_told_to_all_who_wait_and_the_door_goes_on() -> None:
    async def scene(hall: Hall) -> None:
        seats = hall.box.seats

        async def away(event_id: int, wishes: Any) -> list[int]:
            raise RedisError("away")

        hall.box.seats = away  # type: ignore[method-assign]
        outcomes = await asyncio.gather(*[hall.come() for _ in range(3)], return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [RedisError] * 3
        hall.box.seats = seats  # type: ignore[method-assign]
        assert isinstance(await hall.come(), Entry)

    at_the_door(scene)
