"""A changed role closes the organizer's consoles at every gateway, without waiting for the regular check."""

from collections.abc import Iterator
from itertools import count

import pytest

from crowdgame.server.laptop.network import supports_reuse_port
from tests.server import Server, running_server
from tests.socket_clients import Message, SocketClient, SocketClients, open_clients
from tests.voting.consoles import done
from tests.voting.two_gateways import gateway_of
from voting.protocol import CloseCode

NUMBERS = count()


class Organizers:
    """An event, with an account in each role, and the consoles that these open."""

    def __init__(self, server: Server, clients: SocketClients) -> None:
        self.server, self.clients = server, clients
        number = next(NUMBERS)
        self.names = {role: f"{role}-{number}" for role in ("owner", "cohost", "viewer")}
        self.event = server.ask("event", owner=self.names["owner"])
        for role in ("cohost", "viewer"):
            self.change("member", role, role=role)

    def change(self, operation: str, whose: str, **more: str) -> None:
        self.server.ask(operation, event_id=self.event["id"], name=self.names[whose], **more)

    def open(self, role: str) -> tuple[SocketClient, Message]:
        cookie = self.server.ask("session", name=self.names[role])
        console = self.clients.console(self.event["code"], cookie)
        return console, console.receive("console.welcomed")

    def open_at_each_gateway(self, role: str) -> list[tuple[SocketClient, Message]]:
        found: dict[str, tuple[SocketClient, Message]] = {}
        while len(found) < len(self.server.stack.gateway_names):
            console, welcomed = self.open(role)
            found.setdefault(gateway_of(self.server, console), (console, welcomed))
        return list(found.values())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Gateways whose consoles check their role once an hour; one where a port can't be shared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONSOLE_RECHECK_S", "3600")
        with running_server(tmp_path_factory.mktemp("roles"), gateways=1 + supports_reuse_port()) as server:
            patch.undo()  # not for the servers of later tests
            yield server


@pytest.fixture
def organizers(server: Server) -> Iterator[Organizers]:
    with open_clients(server) as clients:
        yield Organizers(server, clients)


@pytest.mark.parametrize(("change", "role"), [("remove_member", "viewer"), ("change_password", "cohost")])
def test_lost_role_closes_consoles_at_every_gateway(organizers: Organizers, change: str, role: str) -> None:
    """The role in one event, or in all events of the account."""
    consoles = [console for console, _ in organizers.open_at_each_gateway(role)]
    other, _ = organizers.open("owner")
    organizers.change(change, role)
    assert [console.closed() for console in consoles] == [CloseCode.NOT_ALLOWED] * len(consoles)
    done(other, 1, "lobby.open")


@pytest.mark.parametrize(("before", "after"), [("cohost", "viewer"), ("viewer", "cohost")])
def test_member_with_changed_role_rejoins_with_its_rights(
    organizers: Organizers, before: str, after: str
) -> None:
    old = organizers.open_at_each_gateway(before)
    other, _ = organizers.open("owner")
    organizers.change("change_member", before, role=after)
    assert [console.closed() for console, _ in old] == [CloseCode.UNAVAILABLE] * len(old)
    new = organizers.open_at_each_gateway(before)
    for role, consoles in ((before, old), (after, new)):
        assert {(one["role"], bool(one["display_key"])) for _, one in consoles} == {(role, role == "cohost")}
    done(other, 1, "lobby.open")


@pytest.mark.parametrize("change", ["remove", "demote"])
def test_former_cohost_receives_no_display_key_renewed_at_once(organizers: Organizers, change: str) -> None:
    former = organizers.open_at_each_gateway("cohost")
    console, old = organizers.open("owner")
    organizers.change("change_and_renew_display_key", "cohost", change=change)
    new = console.receive("console.welcomed")["display_key"]
    assert new != old["display_key"]
    for one, _ in former:
        assert one.closed() in {CloseCode.NOT_ALLOWED, CloseCode.UNAVAILABLE}
        assert not any(new in frame for frame in one.frames)
    if change == "demote":
        rejoined = organizers.open_at_each_gateway("cohost")
        assert [welcomed["display_key"] for _, welcomed in rejoined] == [None] * len(rejoined)


def test_new_display_key_is_not_sent_if_notice_of_removal_is_lost(organizers: Organizers) -> None:
    removed, _ = organizers.open("cohost")
    console, _ = organizers.open("owner")
    organizers.change("delete_member_row", "cohost")
    done(console, 1, "display.renew")
    assert console.receive("console.welcomed")["display_key"]
    assert removed.closed() == CloseCode.NOT_ALLOWED
    received = [message["type"] for message in removed.received]
    assert (received.count("console.welcomed"), "audit.updated" in received) == (1, False)
