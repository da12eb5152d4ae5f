"""A game of days on a running server: every process is killed, and players come back when they like."""

import os
import signal
from pathlib import Path

import pytest

from tests.deploy.processes import answers, wait_until
from tests.server import Server, running_server
from tests.socket_clients import Message, SocketClient, SocketClients, open_clients

DAY_MS = 24 * 3600 * 1000
SOON_MS = 60_000
BACK_WITHIN_S = 60


def kill_everything(server: Server) -> None:
    """Kill every process at once; the supervisor restarts them."""
    stack, pid = server.stack, server.supervisor.pid
    names = ["valkey", "worker", *stack.gateway_names, *stack.scheduler_names]
    before = {name: pid(name) for name in names}
    for number in before.values():
        assert number
        os.kill(number, signal.SIGKILL)
    wait_until(lambda: all(pid(name) not in {None, before[name]} for name in names), BACK_WITHIN_S)
    wait_until(lambda: answers(stack.env["REDIS_URL"]), BACK_WITHIN_S)


def join(server: Server, clients: SocketClients, code: str, key: str) -> tuple[SocketClient, Message]:
    """Join as soon as a gateway accepts connections."""
    joined: list[tuple[SocketClient, Message]] = []

    def has_joined() -> bool:
        try:
            joined.append(clients.phone(code, key=key))
        except OSError:
            return False
        return True

    wait_until(has_joined, BACK_WITHIN_S)
    return joined[0]


def pick(client: SocketClient, welcome: Message, column: int) -> None:
    turn = welcome["state"]["match"]["turn"]
    choice = {"turn": turn["id"], "epoch": turn["epoch"], "choice": column, "sequence": 1}
    client.say("ballot.cast", **choice)
    client.receive("ballot.counted", turn=turn["id"], choice=column)


@pytest.mark.nightly
def test_long_game_survives_killing_every_process(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, open_clients(server) as clients:
        duel = server.ask("duel", time_control="3-days")
        red, yellow = duel["keys"]
        server.ask("run_down_clock", code=duel["code"], ms=2 * DAY_MS)
        client, welcome = join(server, clients, duel["code"], red)
        pick(client, welcome, 3)
        client.leave()

        kill_everything(server)
        server.ask("run_down_clock", code=duel["code"], ms=DAY_MS // 2)
        client, welcome = join(server, clients, duel["code"], yellow)
        assert welcome["state"]["match"]["turn"]["number"] == 1
        pick(client, welcome, 5)
        match = client.receive("turn.revealed")["state"]["match"]
        drops = match["reveal"]["resolution"]["drops"]
        assert [(drop["side"], drop["column"]) for drop in drops] == [("red", 3), ("yellow", 5)]
        clocks = match["clocks"]
        assert clocks["red_ms"] == pytest.approx(2 * DAY_MS, abs=SOON_MS)
        assert clocks["yellow_ms"] == pytest.approx(DAY_MS // 2, abs=SOON_MS)
