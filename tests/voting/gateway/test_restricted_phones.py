"""Restrictions that arrive while a phone is being admitted, or between its last message and its close."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.voting.gateway_helpers import NO_BOX, playing
from voting.admission.restrictions import Restriction
from voting.admission.seats import Seat, sign_seat
from voting.ballot_box.intake import Intake
from voting.counting.voter_codes import derive_voter_code
from voting.gateway.admission_queue import AdmittedVoter
from voting.gateway.event_room import EventRoom
from voting.gateway.phone import PhoneConsumer
from voting.gateway.restriction_enforcement import enforce_restrictions
from voting.gateway.socket import CloseSocket
from voting.protocol import BallotCast, CloseCode, PhoneJoin

SEAT = Seat(1, "a", 1)
BANNED = {derive_voter_code("a"): Restriction(banned=True)}


@dataclass
class BanningGateway:
    """A gateway that enforces a ban during the admission."""

    room: EventRoom
    admitted_seats: list[Seat] = field(default_factory=list)

    def admission_queue(self, room: EventRoom) -> "BanningGateway":
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


def test_phone_banned_during_admission_is_not_seated() -> None:
    consumer, room, sent = phone()
    gateway: Any = BanningGateway(room)
    join = PhoneJoin("C", token=sign_seat(SEAT))
    for _ in range(2):
        with pytest.raises(CloseSocket) as closed:
            asyncio.run(consumer.join(join, room, gateway))
        assert closed.value.code == CloseCode.BANNED
    assert gateway.admitted_seats == [SEAT], "the second attempt does not reach the queue"
    assert (sent, room.voters) == ([], {})


def test_banned_phone_cannot_cast_ballots() -> None:
    consumer, room, sent = phone()
    consumer.room, consumer.seat = room, SEAT
    consumer.voter = room.add_voter(consumer, SEAT)
    room.count_vote(consumer.voter, room.turn_ref)  # a counted ballot may be repeated at any time
    enforce_restrictions(room, BANNED)

    async def cast_again() -> None:
        await consumer.handle_message(BallotCast(1, 1, 1, 1), room)
        assert room.poll is not None
        assert room.poll.lane.waiting == {}

    asyncio.run(cast_again())
    assert [message["type"] for message in sent] == ["websocket.close"]
