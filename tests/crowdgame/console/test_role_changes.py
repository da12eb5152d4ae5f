"""A changed role closes the organizer's consoles at every gateway, without waiting for the regular check."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from deploy.laptop.network import supports_reuse_port
from tests.server import Server, running_server
from tests.socket_clients import Message, SocketClient, SocketClients, open_clients
from tests.voting.consoles import done, open_console
from tests.voting.two_gateways import gateway_of
from voting.protocol import CloseCode

pytestmark = pytest.mark.skipif(not supports_reuse_port(), reason="this system allows one gateway per port")
HOUR_S = "3600"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Two gateways whose consoles check their role once an hour."""
    with ExitStack() as running:
        with pytest.MonkeyPatch.context() as patch:  # not for the servers of later tests
            patch.setenv("CONSOLE_RECHECK_S", HOUR_S)
            server = running.enter_context(running_server(tmp_path_factory.mktemp("roles"), gateways=2))
        yield server


@pytest.fixture
def clients(server: Server) -> Iterator[SocketClients]:
    with open_clients(server) as clients:
        yield clients


@pytest.fixture
def made(server: Server) -> dict[str, Any]:
    """An event of anna with three co-hosts."""
    made: dict[str, Any] = server.ask("event", owner="anna")
    for name in ("bob", "carl", "dora"):
        server.ask("member", event_id=made["id"], name=name, role="cohost")
    return made


def welcome(server: Server, clients: SocketClients, code: str, name: str) -> tuple[SocketClient, Message]:
    console = clients.console(code, server.ask("session", name=name))
    return console, console.receive("console.welcomed")


def open_at_each_gateway(
    server: Server, clients: SocketClients, code: str, name: str
) -> tuple[SocketClient, ...]:
    found: dict[str, SocketClient] = {}
    while len(found) < len(server.stack.gateway_names):
        console, _ = welcome(server, clients, code, name)
        found.setdefault(gateway_of(server, console), console)
    return tuple(found.values())


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("remove_member", "bob"),
        ("deactivate_in_admin", "carl"),
        ("delete_account", "dora"),
        ("change_owner_in_admin", "anna"),
    ],
)
def test_lost_role_closes_consoles_at_every_gateway(
    made: dict[str, Any], server: Server, clients: SocketClients, change: str, name: str
) -> None:
    consoles = open_at_each_gateway(server, clients, made["code"], name)
    server.ask(change, event_id=made["id"], name=name)
    assert [console.closed() for console in consoles] == [CloseCode.NOT_ALLOWED] * len(consoles)


def test_demoted_cohost_rejoins_as_viewer_without_display_key(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    console, as_cohost = welcome(server, clients, made["code"], "bob")
    other, _ = welcome(server, clients, made["code"], "anna")
    server.ask("change_member", event_id=made["id"], name="bob", role="viewer")
    assert console.closed() == CloseCode.UNAVAILABLE
    _, as_viewer = welcome(server, clients, made["code"], "bob")
    assert [(one["role"], bool(one["display_key"])) for one in (as_cohost, as_viewer)] == [
        ("cohost", True),
        ("viewer", False),
    ]
    done(other, 1, "lobby.open")


def test_new_display_key_is_not_sent_if_notice_of_removal_is_lost(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    server.ask("member", event_id=made["id"], name="olga", role="cohost")
    removed, _ = welcome(server, clients, made["code"], "bob")
    console = open_console(server, clients, made["code"])
    server.ask("delete_member_row", event_id=made["id"], name="bob")
    done(console, 1, "display.renew")
    assert console.receive("console.welcomed")["display_key"]
    assert removed.closed() == CloseCode.NOT_ALLOWED
    assert [message["type"] for message in removed.received].count("console.welcomed") == 1
    assert not any(message["type"] == "audit.updated" for message in removed.received)
