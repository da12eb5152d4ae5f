"""A changed role closes the organizer's consoles at every gateway, without waiting for the regular check."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any

import pytest

from crowdgame.server.laptop.network import supports_reuse_port
from tests.server import Server, running_server
from tests.socket_clients import Message, SocketClient, SocketClients, open_clients
from tests.voting.consoles import done
from tests.voting.two_gateways import gateway_of
from voting.protocol import CloseCode

pytestmark = pytest.mark.skipif(not supports_reuse_port(), reason="this system allows one gateway per port")
MEMBERS = ("cohost", "viewer")
NUMBERS = count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Gateways whose consoles check their role once an hour."""
    with ExitStack() as running:
        with pytest.MonkeyPatch.context() as patch:  # not for the servers of later tests
            patch.setenv("CONSOLE_RECHECK_S", "3600")
            data = tmp_path_factory.mktemp("roles")
            server = running.enter_context(running_server(data, gateways=2))
        yield server


@pytest.fixture
def clients(server: Server) -> Iterator[SocketClients]:
    with open_clients(server) as clients:
        yield clients


@pytest.fixture
def made(server: Server) -> dict[str, Any]:
    """An event, with the name of the account that has each role."""
    names = {role: f"{role}-{next(NUMBERS)}" for role in ("owner", *MEMBERS)}
    made: dict[str, Any] = server.ask("event", owner=names["owner"])
    for role in MEMBERS:
        server.ask("member", event_id=made["id"], name=names[role], role=role)
    return made | names


def welcome(server: Server, clients: SocketClients, code: str, name: str) -> tuple[SocketClient, Message]:
    console = clients.console(code, server.ask("session", name=name))
    return console, console.receive("console.welcomed")


def open_at_each_gateway(
    server: Server, clients: SocketClients, code: str, name: str
) -> list[tuple[SocketClient, Message]]:
    found: dict[str, tuple[SocketClient, Message]] = {}
    while len(found) < len(server.stack.gateway_names):
        console, welcomed = welcome(server, clients, code, name)
        found.setdefault(gateway_of(server, console), (console, welcomed))
    return list(found.values())


@pytest.mark.parametrize(
    ("change", "role"),
    [
        ("remove_member", "viewer"),
        pytest.param("deactivate_in_admin", "cohost", marks=pytest.mark.nightly),
        pytest.param("delete_account", "viewer", marks=pytest.mark.nightly),
        ("change_password", "cohost"),
        pytest.param("change_owner_in_admin", "owner", marks=pytest.mark.nightly),
    ],
)
def test_lost_role_closes_consoles_at_every_gateway(
    made: dict[str, Any], server: Server, clients: SocketClients, change: str, role: str
) -> None:
    consoles = [console for console, _ in open_at_each_gateway(server, clients, made["code"], made[role])]
    other, _ = welcome(server, clients, made["code"], made["cohost" if role == "owner" else "owner"])
    server.ask(change, event_id=made["id"], name=made[role])
    assert [console.closed() for console in consoles] == [CloseCode.NOT_ALLOWED] * len(consoles)
    done(other, 1, "lobby.open")


@pytest.mark.parametrize("change", ["remove_from_organization", "unshare"])
def test_lost_role_in_organization_closes_consoles(
    made: dict[str, Any], server: Server, clients: SocketClients, change: str
) -> None:
    server.ask("share_with", event_id=made["id"], name=change, role="cohost")
    consoles = [console for console, _ in open_at_each_gateway(server, clients, made["code"], change)]
    server.ask(change, event_id=made["id"], name=change)
    assert [console.closed() for console in consoles] == [CloseCode.NOT_ALLOWED] * len(consoles)


@pytest.mark.parametrize(("before", "after"), [("cohost", "viewer"), ("viewer", "cohost")])
def test_member_with_changed_role_rejoins_with_its_rights(
    made: dict[str, Any], server: Server, clients: SocketClients, before: str, after: str
) -> None:
    old = open_at_each_gateway(server, clients, made["code"], made[before])
    other, _ = welcome(server, clients, made["code"], made["owner"])
    server.ask("change_member", event_id=made["id"], name=made[before], role=after)
    assert [console.closed() for console, _ in old] == [CloseCode.UNAVAILABLE] * len(old)
    new = open_at_each_gateway(server, clients, made["code"], made[before])
    for role, consoles in ((before, old), (after, new)):
        assert {(one["role"], bool(one["display_key"])) for _, one in consoles} == {(role, role == "cohost")}
    done(other, 1, "lobby.open")


@pytest.mark.parametrize("change", ["remove", "demote"])
def test_former_cohost_receives_no_display_key_renewed_at_once(
    made: dict[str, Any], server: Server, clients: SocketClients, change: str
) -> None:
    former = open_at_each_gateway(server, clients, made["code"], made["cohost"])
    console, old = welcome(server, clients, made["code"], made["owner"])
    server.ask("change_and_renew_display_key", event_id=made["id"], name=made["cohost"], change=change)
    new = console.receive("console.welcomed")["display_key"]
    assert new != old["display_key"]
    for one, _ in former:
        assert one.closed() in {CloseCode.NOT_ALLOWED, CloseCode.UNAVAILABLE}
        assert not any(new in frame for frame in one.frames)
    if change == "demote":
        rejoined = open_at_each_gateway(server, clients, made["code"], made["cohost"])
        assert [welcomed["display_key"] for _, welcomed in rejoined] == [None] * len(rejoined)


def test_new_display_key_is_not_sent_if_notice_of_removal_is_lost(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    removed, _ = welcome(server, clients, made["code"], made["cohost"])
    console, _ = welcome(server, clients, made["code"], made["owner"])
    server.ask("delete_member_row", event_id=made["id"], name=made["cohost"])
    done(console, 1, "display.renew")
    assert console.receive("console.welcomed")["display_key"]
    assert removed.closed() == CloseCode.NOT_ALLOWED
    assert [message["type"] for message in removed.received].count("console.welcomed") == 1
    assert not any(message["type"] == "audit.updated" for message in removed.received)
