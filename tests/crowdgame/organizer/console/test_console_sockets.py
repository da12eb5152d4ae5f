from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import psutil
import pytest

from crowdgame.server.laptop.network import supports_reuse_port
from tests.deploy.processes import wait_until
from tests.server import Server, running_server
from tests.socket_clients import Message, SocketClient, SocketClients, open_clients
from tests.voting.consoles import done, receive_entry, received_entries, refused
from tests.voting.open_turn import cast, refusal, vote
from voting.protocol import CloseCode

NUMBERS = count()


def gateway_of(server: Server, client: SocketClient) -> str:
    here = client.socket.socket.getsockname()
    for name in server.stack.gateway_names:
        ends = psutil.Process(server.supervisor.pid(name)).net_connections("tcp")
        if any(end.raddr == here for end in ends):
            return name
    raise AssertionError("the socket is at no gateway")


def test_console_admits_owner_and_superuser_only(
    made: dict[str, Any], cookie: str, server: Server, clients: SocketClients
) -> None:
    for own in (cookie, server.ask("session", name="boss", superuser=True)):
        welcome = clients.console(made["code"], own).receive("console.welcomed")
        assert welcome["join_url"] == f"{server.http}/{made['code']}"
        assert welcome["state"]["lobby"] == "closed"
    other = server.ask("session", name="otto")
    before, since = server.contents(), len(server.log("gateway"))
    for wrong in ("", "sessionid=guess", other, cookie[:-1]):
        assert clients.console(made["code"], wrong).closed() == CloseCode.NOT_ALLOWED
    assert clients.console("ZZZZ", cookie).closed() == CloseCode.NO_SUCH_EVENT
    assert server.contents() == before
    assert server.log_errors("gateway", since) == []


def test_rehearsal_marks_its_match_is_logged_and_ends_by_undo(
    made: dict[str, Any], console: SocketClient, server: Server, clients: SocketClients
) -> None:
    def updated(is_wanted: Callable[[Message], object]) -> Message:
        return console.receive_until(lambda m: m["type"] == "rehearsal.updated" and is_wanted(m))

    assert refused(server, console, 1, "rehearsal.stop") == "No rehearsal is running."
    text = refused(server, console, 2, "rehearsal.start", phones=5)
    assert text == "Open the lobby first. The simulated crowd joins like voters do."
    for wrong in ({"action": "rehearsal.start", "phones": 201}, {"action": "match.win"}):
        console.say("action.ask", id=3, **wrong).receive("error", code="malformed")
    console.say("console.join", code=made["code"]).receive("error", code="joined_already")
    done(console, 4, "lobby.open")
    done(console, 5, "match.start")
    done(console, 6, "rehearsal.start", phones=7)
    assert updated(lambda m: m["connected"] == 7)["running"]
    rehearsed = "SELECT number FROM games_match WHERE event_id = ? AND rehearsed"
    wait_until(lambda: server.rows(rehearsed, made["id"]) == [(1,)])
    assert "already running" in refused(server, console, 7, "rehearsal.start", phones=7)
    started = received_entries(console, 3)[2]
    console.say("action.undo", id=8, entry=started["id"]).receive("action.done", id=8)
    assert not updated(lambda m: not m["running"])["lost"]
    logged = [entry["what"].removeprefix("olga ") for entry in received_entries(console, 4)[2:]]
    assert logged == ["started a rehearsal. Simulated phones: 7", "stopped the rehearsal"]


def test_actions_and_undo_reach_all_consoles_in_their_language_but_no_phone_or_display(
    made: dict[str, Any], cookie: str, console: SocketClient, server: Server, clients: SocketClients
) -> None:
    german = clients.console(made["code"], f"{cookie}; language=de")
    assert german.receive("console.welcomed")["audit"] == []
    done(console, 1, "lobby.open")
    display, _ = clients.display(made["code"])
    phone, _ = clients.phone(made["code"])
    refused(server, console, 2, "turn.close")
    done(console, 3, "notice.show", text="We begin at eight")
    logged = [("olga", "lobby.open"), ("olga", "notice.show")]
    for room, words in ((console, "olga wrote: We begin"), (german, "olga schrieb: We begin")):
        entries = received_entries(room, 2)
        assert [(entry["by"], entry["action"]) for entry in entries] == logged
        assert entries[1]["what"].startswith(words)
    query = "SELECT by, action FROM events_auditentry WHERE event_id = ? ORDER BY id"
    assert [tuple(row) for row in server.rows(query, made["id"])] == logged
    wrote = receive_entry(german, "notice.show", undo="notice.clear", undone=False)
    console.say("action.undo", id=4, entry=wrote["id"]).receive("action.done", id=4)
    for room in (console, german):
        receive_entry(room, "notice.show", undo=None, undone=True)
        receive_entry(room, "notice.clear", undo="notice.show", undone=False)
    before = server.contents()
    german.say("action.undo", id=1, entry=wrote["id"]).receive("action.refused", id=1)
    assert server.contents() == before
    for client in (display, phone):
        client.say("clock.ask", sent=9).receive("clock.synced", sent=9)
        assert not any("audit" in frame for frame in client.frames)


def test_viewer_watches(made: Any, console: SocketClient, server: Server, clients: SocketClients) -> None:
    server.ask("roster", event_id=made["id"], text="Ann")
    server.ask("member", event_id=made["id"], name="vera", role="viewer")
    viewer = clients.console(made["code"], server.ask("session", name="vera"))
    viewer.receive("console.welcomed", role="viewer", display_key=None)
    done(console, 1, "match.start")
    viewer.receive("match.started")
    assert refused(server, viewer, 1, "match.abort") == "You don't have permission to do this."
    assert [entry["by"] for entry in received_entries(viewer, 1)] == ["olga"]
    for who, found in ((viewer, 0), (console, 1)):
        who.say("people.ask", query="")
        assert len(who.receive("people.found")["people"]) == found


def test_moved_phone_votes_for_its_new_team_and_an_earlier_vote_stays_with_the_old_one(
    made: dict[str, Any], console: SocketClient, server: Server, clients: SocketClients
) -> None:
    done(console, 1, "lobby.open")
    phones = [clients.phone(made["code"]) for _ in range(2)]
    (changing, one), (_, two) = ((phone, welcome["you"]) for phone, welcome in phones)
    turn = server.ask("play_to", event_id=made["id"], picks=[])
    for number, (phone, welcome) in enumerate(phones, 2):
        code, other = welcome["you"]["voter_code"], 3 - welcome["you"]["team"]
        phone.receive("turn.moved")
        vote(phone, turn, choice=3)
        done(console, number, "voter.move", voter_code=code, team=other)
        moved = phone.receive("phone.welcomed")["you"]
        assert (moved["team"], moved["voter_code"], moved["choice"]) == (other, code, None)
    assert refusal(changing, **cast(turn, choice=3, sequence=1)) == "stale"
    vote(changing, turn, choice=5, sequence=2)
    again, welcome = clients.phone(made["code"], token=two["token"])
    assert (welcome["you"]["team"], welcome["you"]["choice"]) == (3 - two["team"], None)
    done(console, 4, "turn.close", turn=turn)
    reveal = again.receive("turn.revealed")["state"]["match"]["reveal"]
    counts = ((1, reveal["red"]["counts"]), (2, reveal["yellow"]["counts"]))
    votes = {(team, column) for team, columns in counts for column, n in enumerate(columns, 1) if n}
    assert votes == {(3 - one["team"], 5), (two["team"], 3)}


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

    def open(self, role: str, code: str = "") -> tuple[SocketClient, Message]:
        cookie = self.server.ask("session", name=self.names[role])
        console = self.clients.console(code or self.event["code"], cookie)
        return console, console.receive("console.welcomed")

    def open_at_each_gateway(self, role: str) -> list[tuple[SocketClient, Message]]:
        found: dict[str, tuple[SocketClient, Message]] = {}
        while len(found) < len(self.server.stack.gateway_names):
            console, welcomed = self.open(role)
            found.setdefault(gateway_of(self.server, console), (console, welcomed))
        return list(found.values())


@pytest.fixture(scope="module")
def unhurried_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Gateways whose consoles check their role once an hour; one where a port can't be shared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONSOLE_RECHECK_S", "3600")
        with running_server(tmp_path_factory.mktemp("roles"), gateways=1 + supports_reuse_port()) as server:
            patch.undo()  # not for the servers of later tests
            yield server


@pytest.fixture
def organizers(unhurried_server: Server) -> Iterator[Organizers]:
    with open_clients(unhurried_server) as clients:
        yield Organizers(unhurried_server, clients)


@pytest.mark.parametrize(("change", "role"), [("remove_member", "viewer"), ("change_password", "cohost")])
def test_lost_role_closes_consoles_at_every_gateway(organizers: Organizers, change: str, role: str) -> None:
    """The role in one event, or in all events of the account."""
    consoles = [console for console, _ in organizers.open_at_each_gateway(role)]
    other, _ = organizers.open("owner")
    own_event = organizers.server.ask("event", owner=organizers.names[role])
    elsewhere, _ = organizers.open(role, own_event["code"])
    organizers.change(change, role)
    assert [console.closed() for console in consoles] == [CloseCode.NOT_ALLOWED] * len(consoles)
    done(other, 1, "lobby.open")
    if change == "remove_member":
        done(elsewhere, 1, "lobby.open")
    else:
        assert elsewhere.closed() == CloseCode.NOT_ALLOWED


def test_member_rejoins_with_rights_of_new_role(organizers: Organizers) -> None:
    old = organizers.open_at_each_gateway("viewer")
    other, _ = organizers.open("owner")
    organizers.change("change_member", "viewer", role="cohost")
    assert [console.closed() for console, _ in old] == [CloseCode.UNAVAILABLE] * len(old)
    new = organizers.open_at_each_gateway("viewer")
    for role, consoles in (("viewer", old), ("cohost", new)):
        assert {(one["role"], bool(one["display_key"])) for _, one in consoles} == {(role, role == "cohost")}
    done(other, 1, "lobby.open")


def test_former_cohost_receives_no_display_key_renewed_at_once(organizers: Organizers) -> None:
    former = organizers.open_at_each_gateway("cohost")
    console, old = organizers.open("owner")
    organizers.change("demote_and_renew_display_key", "cohost")
    new = console.receive("console.welcomed")["display_key"]
    assert new != old["display_key"]
    for one, _ in former:
        assert one.closed() == CloseCode.UNAVAILABLE
        assert not any(new in frame for frame in one.frames)
    rejoined = organizers.open_at_each_gateway("cohost")
    assert {(welcomed["role"], welcomed["display_key"]) for _, welcomed in rejoined} == {("viewer", None)}


@pytest.mark.parametrize("role", ["", "viewer"])
def test_new_display_key_is_not_sent_if_notice_of_lost_role_fails(organizers: Organizers, role: str) -> None:
    removed, _ = organizers.open("cohost")
    console, _ = organizers.open("owner")
    organizers.change("delete_member_row", "cohost")
    if role:
        organizers.change("member", "cohost", role=role)
    done(console, 1, "display.renew")
    assert console.receive("console.welcomed")["display_key"]
    assert removed.closed() == (CloseCode.UNAVAILABLE if role else CloseCode.NOT_ALLOWED)
    received = [message["type"] for message in removed.received]
    assert (received.count("console.welcomed"), "audit.updated" in received) == (1, False)
