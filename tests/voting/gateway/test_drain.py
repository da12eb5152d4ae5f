"""Draining a gateway: its phones reconnect elsewhere, and no ballot is lost."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from redis import Redis
from websockets.exceptions import ConnectionClosed

from tests.crowd_helpers import ballots_in_the_box
from tests.deploy.processes import wait_until
from tests.server import ASGI_SERVERS_TESTED, Server, running_server
from tests.socket_clients import SocketClient, open_clients
from tests.voting.gateway_helpers import FakeSocket, open_room, voter, with_gateway
from tests.voting.match_helpers import new_event, open_now, start
from tests.voting.open_turn import cast, open_turn, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import event_key
from voting.ballot_box.intake import Slot
from voting.counting.ballots import Ballot
from voting.gateway.drain import LEAST_RETRY_MS
from voting.gateway.gateway import Gateway
from voting.protocol import CloseCode

PHONES = 24


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
            room.poll.lane.take(Ballot(f"v{number}", "red", 1, 1), caster)
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
        gateway.intake.lane(Slot(event.pk, 1, 1)).take(Ballot("a", "red", 1, 1), Caster())
        await gateway.box.close()
        async with asyncio.timeout(20):
            await gateway.drain(0.3)

    with_gateway(scenario)


@pytest.mark.parametrize("asgi_server", ASGI_SERVERS_TESTED)
def test_phones_of_terminated_gateway_reconnect_without_losing_ballots(
    asgi_server: str, tmp_path: Path
) -> None:
    with running_server(tmp_path, asgi_server, gateways=2) as server, open_clients(server) as clients:
        made = open_turn(server)
        phones = [clients.phone(made.code) for _ in range(PHONES)]
        for client, _ in phones:
            client.say("ballot.cast", **cast(made.turn))
        _terminate(server, "gateway-1")
        moved = 0
        for client, welcome in phones:
            if _is_redirected(client):
                moved += 1
                client, again = clients.phone(made.code, token=welcome["you"]["token"])  # noqa: PLW2901
                assert again["you"]["team"] == welcome["you"]["team"]
            vote(client, made.turn)
        assert 0 < moved < PHONES
        assert ballots_in_the_box(server, made.id, made.turn) == PHONES
        assert server.log_errors("gateway-1") + server.log_errors("gateway-2") == []


def _terminate(server: Server, name: str) -> None:
    """Send SIGTERM and wait until the process is gone."""
    pid = server.supervisor.pid(name)
    assert pid is not None
    os.kill(pid, signal.SIGTERM)
    wait_until(lambda: server.supervisor.pid(name) != pid)


def _is_redirected(client: SocketClient) -> bool:
    with suppress(ConnectionClosed):
        client.say("clock.ask", sent=1)
    message = client.receive_until(lambda message: message["type"] in {"retry.after", "clock.synced"})
    if message["type"] == "clock.synced":
        return False
    assert message["within_ms"] >= LEAST_RETRY_MS
    assert client.closed() == CloseCode.RESTARTING
    return True
