"""A ruling that comes while a phone is at the door, or between its last words and its leaving."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.voting.rooms import NO_BOX, playing
from voting.admission.restrictions import Rule
from voting.admission.seats import Seat, sign_of, sign_seat
from voting.ballot_box.intake import Intake
from voting.gateway.admission_queue import Entry
from voting.gateway.event_room import Room
from voting.gateway.phone import PhoneConsumer
from voting.gateway.restrictions import enforce
from voting.gateway.socket import CloseSocket
from voting.protocol import BallotCast, CloseCode, PhoneJoin

SEAT = Seat(1, "a", 1)
KEPT_OUT = {sign_of("a"): Rule(kept_out=True)}


@dataclass
class Meanwhile:
    """A gateway whose door opens after a ruling was heard of."""

    room: Room
    let_in_to: list[Seat] = field(default_factory=list)

    def door(self, room: Room) -> "Meanwhile":
        return self

    async def let_in(self, seat: Seat, wish: int | None) -> Entry:
        self.let_in_to.append(seat)
        enforce(self.room, KEPT_OUT)
        return Entry(seat, (0, 0), None)


def phone() -> tuple[PhoneConsumer, Room, list[dict[str, Any]]]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    return PhoneConsumer({}, send), Room(1, 0, playing(1), Intake(NO_BOX, NO_BOX)), sent


def test_who_is_kept_out_while_at_the_door_does_not_come_in() -> None:
    consumer, room, sent = phone()
    gateway: Any = Meanwhile(room)
    join = PhoneJoin("C", token=sign_seat(SEAT))
    for _ in range(2):
        with pytest.raises(CloseSocket) as closed:
            asyncio.run(consumer.join(join, room, gateway))
        assert closed.value.code == CloseCode.KEPT_OUT
    assert gateway.let_in_to == [SEAT], "the second time the door is not asked"
    assert (sent, room.voters) == ([], {})


def test_who_was_put_out_is_not_heard_any_more() -> None:
    consumer, room, sent = phone()
    consumer.room, consumer.seat = room, SEAT
    consumer.voter = room.sit(consumer, SEAT)
    room.count_vote(consumer.voter, room.occasion)  # who has voted may repeat it at any time
    enforce(room, KEPT_OUT)

    async def says_on() -> None:
        await consumer.hear(BallotCast(1, 1, 1, 1), room)
        assert room.poll is not None
        assert room.poll.lane.waiting == {}

    asyncio.run(says_on())
    assert [message["type"] for message in sent] == ["websocket.close"]
