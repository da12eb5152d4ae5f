"""Events that admit by code, and the answers to phones that join them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.consoles import open_console


def event(server: Server, admission: str, **choices: Any) -> dict[str, Any]:
    return dict(server.ask("event", **{"admission": admission, "window_s": 600, "lobby": "open", **choices}))


def with_tickets(server: Server, count: int = 1, **choices: Any) -> tuple[dict[str, Any], list[str]]:
    made = event(server, "tickets", **choices)
    return made, server.ask("tickets", event_id=made["id"], count=count)


def refused(client: SocketClient, code: str, **fields: Any) -> str:
    client.say("phone.join", code=code, **fields)
    return str(client.receive("error")["code"])


def join_refusal(clients: SocketClients, code: str, **fields: Any) -> str:
    return refused(clients.open("phone"), code, **fields)


def voter_of(welcome: Message) -> str:
    return str(welcome["you"]["token"]).split(".")[1]


def shown(display: SocketClient) -> Message:
    return display.receive("key.shown")


def display_with_codes(server: Server, clients: SocketClients, code: str) -> SocketClient:
    console = open_console(server, clients, code)
    return clients.display(code, key=console.received[0]["display_key"])[0]


def key_for(admission: str, made: dict[str, Any], server: Server, clients: SocketClients) -> str:
    if admission == "rotating":
        return str(shown(display_with_codes(server, clients, made["code"]))["key"])
    return str(server.ask("tickets", event_id=made["id"], count=1)[0])


@pytest.fixture
def database(server: Server) -> Iterator[sqlite3.Connection]:
    """A connection without automatic transactions."""
    with closing(sqlite3.connect(server.stack.data / "db.sqlite3", isolation_level=None)) as connection:
        yield connection
