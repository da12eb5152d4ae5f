"""Draining a gateway: its phones reconnect elsewhere, and no ballot is lost."""

import asyncio

import pytest
from redis import Redis

from tests.voting.gateway_helpers import FakeSocket, open_room, voter, with_gateway
from tests.voting.match_helpers import new_event, open_now, start
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import event_key
from voting.ballot_box.intake import Slot
from voting.counting.ballots import Ballot
from voting.gateway.drain import LEAST_RETRY_MS
from voting.gateway.gateway import Gateway
from voting.protocol import CloseCode


class Caster:
    def __init__(self) -> None:
        self.codes: list[int] = []

    def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
        self.codes.append(code)


@pytest.mark.django_db(transaction=True)
def test_drain_closes_sockets_answers_ballots_and_leaves_turnout(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    open_now(turn, box)
    event_id, caster = turn.match.event_id, Caster()
    sockets = [voter(f"v{number}", 1 + number % 2) for number in range(20)] + [FakeSocket()]

    def gateways_in_box() -> int:
        with Redis.from_url(valkey_url) as redis:
            return int(redis.hlen(event_key(event_id, "gateways")))

    async def scenario(gateway: Gateway) -> None:
        room = await open_room(gateway, turn.match.event.code, *sockets)
        assert room.poll is not None
        assert await asyncio.to_thread(gateways_in_box) == 1
        for number in range(300):
            room.poll.queue.add(Ballot(f"v{number}", "red", 1, 1), caster)
        await asyncio.gather(gateway.drain(10), gateway.drain(10))
        assert caster.codes == [1] * 300
        assert await asyncio.to_thread(gateways_in_box) == 0
        await asyncio.sleep(1.2)
        assert await asyncio.to_thread(gateways_in_box) == 0
        await gateway.drain(10)

    with_gateway(scenario)
    [close_call] = {close_call for socket in sockets for close_call in socket.close_calls}
    assert close_call[0] == CloseCode.RESTARTING
    assert (close_call[1] or 0) >= LEAST_RETRY_MS
    assert {len(socket.close_calls) for socket in sockets} == {1}


@pytest.mark.django_db(transaction=True)
def test_drain_stops_waiting_for_unreachable_box_at_timeout(box: BallotBox, valkey_url: str) -> None:
    event = new_event()

    async def scenario(gateway: Gateway) -> None:
        await gateway.room(event.code)
        gateway.intake.new_queue(Slot(event.pk, 1, 1)).add(Ballot("a", "red", 1, 1), Caster())
        await gateway.box.close()
        async with asyncio.timeout(20):
            await gateway.drain(0.3)

    with_gateway(scenario)
