"""A ruling that comes while a phone is at the door, or between its last words and its leaving."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.voting.gateway_helpers import NO_BOX, playing
from voting.admission.restrictions import Restriction
from voting.admission.seats import Seat, derive_voter_code, sign_seat
from voting.ballot_box.intake import Intake
from voting.gateway.admission_queue import AdmittedVoter
from voting.gateway.event_room import EventRoom
from voting.gateway.phone import PhoneConsumer
from voting.gateway.restriction_enforcement import enforce_restrictions
from voting.gateway.socket import CloseSocket
from voting.protocol import BallotCast, CloseCode, PhoneJoin

SEAT = Seat(1, "a", 1)
BANNED = {derive_voter_code("a"): Restriction(banned=True)}


@dataclass
class Meanwhile:
    """A gateway whose door opens after a ruling was heard of."""

    room: EventRoom
    admitted_seats: list[Seat] = field(default_factory=list)

    def admission_queue(self, room: EventRoom) -> "Meanwhile":
        return self

    async def admit(self, seat: Seat, wish: int | None) -> AdmittedVoter:
        self.admitted_seats.append(seat)
        enforce_restrictions(self.room, BANNED)
        return AdmittedVoter(seat, (0, 0), None)


def phone() -> tuple[PhoneConsumer, EventRoom, list[dict[str, Any]]]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    return PhoneConsumer({}, send), EventRoom(1, 0, playing(1), Intake(NO_BOX, NO_BOX)), sent


def test_who_is_kept_out_while_at_the_door_does_not_come_in() -> None:
    consumer, room, sent = phone()
    gateway: Any = Meanwhile(room)
    join = PhoneJoin("C", token=sign_seat(SEAT))
    for _ in range(2):
        with pytest.raises(CloseSocket) as closed:
            asyncio.run(consumer.join(join, room, gateway))
        assert closed.value.code == CloseCode.BANNED
    assert gateway.admitted_seats == [SEAT], "the second time the door is not asked"
    assert (sent, room.voters) == ([], {})


def test_who_was_put_out_is_not_heard_any_more() -> None:
    consumer, room, sent = phone()
    consumer.room, consumer.seat = room, SEAT
    consumer.voter = room.sit(consumer, SEAT)
    room.count_vote(consumer.voter, room.turn_ref)  # who has voted may repeat it at any time
    enforce_restrictions(room, BANNED)

    async def says_on() -> None:
        await consumer.handle_message(BallotCast(1, 1, 1, 1), room)
        assert room.poll is not None
        assert room.poll.lane.waiting == {}

    asyncio.run(says_on())
    assert [message["type"] for message in sent] == ["websocket.close"]
