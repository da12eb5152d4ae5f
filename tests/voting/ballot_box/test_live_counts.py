"""Peek: consoles see the counts before the reveal in events with that option, on a running server."""

import time
from contextlib import suppress
from typing import Any

from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients

LONG = {"window_s": 600, "lobby": "open", "team_choice": "choose"}


def voted(
    server: Server, clients: SocketClients, **choices: Any
) -> tuple[dict[str, Any], list[SocketClient]]:
    """An event with an open turn and its phones: team 1 voted 3, 3 and 5, team 2 voted 7."""
    made = dict(server.ask("event", **LONG, **choices))
    turn = server.ask("play_to", event_id=made["id"], picks=[])
    phones = []
    for team, choice in [(1, 3), (1, 3), (1, 5), (2, 7)]:
        client, _ = clients.phone(made["code"], team=team)
        client.say("ballot.cast", turn=turn, epoch=1, choice=choice, sequence=1)
        client.receive("ballot.counted")
        phones.append(client)
    return made | {"turn": turn}, phones


def open_console(server: Server, clients: SocketClients, code: str) -> SocketClient:
    client = clients.console(code, server.ask("session", name="olga"))
    client.receive("console.welcomed")
    return client


def test_peek_sends_counts_to_consoles_only_and_is_public(server: Server, clients: SocketClients) -> None:
    made, phones = voted(server, clients, peek=True)
    console = open_console(server, clients, made["code"])
    display, welcome = clients.display(made["code"])
    assert welcome["state"]["peek"] is True
    message = console.receive("counts.updated")
    assert message == {
        "type": "counts.updated",
        "turn": made["turn"],
        "red": [0, 0, 2, 0, 1, 0, 0],
        "yellow": [0, 0, 0, 0, 0, 0, 1],
    }
    phones[0].say("ballot.cast", turn=made["turn"], epoch=1, choice=1, sequence=2)
    assert (
        console.receive_until(lambda message: message["type"] == "counts.updated" and message["red"][0])[
            "red"
        ][2]
        == 1
    )
    for client in [display, *phones]:
        client.say("clock.ask", sent=9).receive("clock.synced", sent=9)
        assert not any("counts.updated" in frame for frame in client.frames)


def test_peek_change_takes_effect_at_once_and_is_announced(server: Server, clients: SocketClients) -> None:
    made, phones = voted(server, clients)
    console = open_console(server, clients, made["code"])
    console.receive("turnout.counted")
    server.ask("edit", event_id=made["id"], peek=True)
    console.receive("counts.updated")
    assert [m["type"] for m in console.received].index("event.edited") < len(console.received) - 1
    assert phones[0].receive("event.edited")["state"]["peek"] is True
    server.ask("edit", event_id=made["id"], peek=False)
    console.receive_until(lambda message: message["type"] == "event.edited" and not message["state"]["peek"])
    assert counts_within(console, 3) == 0


def counts_within(client: SocketClient, seconds: float) -> int:
    until, found = time.monotonic() + seconds, 0
    while (left := until - time.monotonic()) > 0:
        with suppress(TimeoutError):
            found += "counts.updated" in client.socket.recv(timeout=left, decode=True)
    return found


def test_peek_sends_no_counts_when_off_or_paused(server: Server, clients: SocketClients) -> None:
    made, _ = voted(server, clients)
    assert counts_within(open_console(server, clients, made["code"]), 3) == 0
    peeking, _ = voted(server, clients, peek=True)
    console = open_console(server, clients, peeking["code"])
    console.receive("counts.updated")
    console.say("action.ask", id=1, action="turn.pause", turn=peeking["turn"])
    console.receive("action.done", id=1)
    assert counts_within(console, 3) == 0
