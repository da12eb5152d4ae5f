"""Consoles on a running server, and the messages that they receive."""

from typing import Any

import pytest

from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients


@pytest.fixture(scope="module")
def cookie(server: Server) -> str:
    return str(server.ask("session", name="olga"))


@pytest.fixture
def made(server: Server) -> dict[str, Any]:
    server.ask("abort_all_matches")  # events of other tests must not change anything meanwhile
    made: dict[str, Any] = server.ask("event", window_s=600)
    return made


@pytest.fixture
def console(cookie: str, made: dict[str, Any], clients: SocketClients) -> SocketClient:
    client = clients.console(made["code"], cookie)
    client.receive("console.welcomed")
    return client


def open_console(server: Server, clients: SocketClients, code: str, name: str = "olga") -> SocketClient:
    console = clients.console(code, server.ask("session", name=name))
    console.receive("console.welcomed")
    return console


def done(console: SocketClient, number: int, action: str, **more: Any) -> None:
    console.say("action.ask", id=number, action=action, **more)
    console.receive("action.done", id=number)


def received_entries(console: SocketClient, number: int) -> list[Message]:
    """All audit entries so far as first received, oldest first. Waits for at least `number`."""
    while True:
        entries = {entry["id"]: entry for entry in reversed(_entries(console))}
        if len(entries) >= number:
            return [entries[key] for key in sorted(entries)]
        console.receive("audit.updated")


def receive_entry(console: SocketClient, action: str, **fields: Any) -> Message:
    """The latest audit entry of this action. Waits until it has these fields; they follow an announcement."""
    while True:
        entries = [entry for entry in _entries(console) if entry["action"] == action]
        if entries and entries[-1].items() >= fields.items():
            return entries[-1]
        console.receive("audit.updated")


def _entries(console: SocketClient) -> list[Message]:
    updates = (message for message in console.received if message["type"] == "audit.updated")
    return [entry for update in updates for entry in update["entries"]]


def refused(server: Server, console: SocketClient, number: int, action: str, **more: Any) -> str:
    """The text of the refusal; the action must change nothing."""
    before, since = server.contents(), len(server.log("gateway"))
    console.say("action.ask", id=number, action=action, **more)
    text = str(console.receive("action.refused", id=number)["text"])
    assert server.contents() == before
    assert server.log_errors("gateway", since) == []
    return text
