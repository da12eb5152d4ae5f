"""Console actions are logged and sent to every console of the event; roles limit who may act."""

from typing import Any

from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients
from tests.voting.consoles import done, receive_entry, received_entries, refused
from voting.protocol import CloseCode


def test_actions_are_logged_and_sent_only_to_consoles(
    made: dict[str, Any], cookie: str, console: SocketClient, server: Server, clients: SocketClients
) -> None:
    other = clients.console(made["code"], cookie)
    assert other.receive("console.welcomed")["audit"] == []
    done(console, 1, "lobby.open")
    display, _ = clients.display(made["code"])
    phone, _ = clients.phone(made["code"])
    refused(server, console, 2, "turn.close")
    done(console, 3, "notice.show", text="We begin at eight")
    logged = [
        ("olga", "lobby.open", "olga opened the lobby"),
        ("olga", "notice.show", "olga wrote: We begin at eight"),
    ]
    for room in (console, other):
        sent = [(entry["by"], entry["action"], entry["what"]) for entry in received_entries(room, 2)]
        assert sent == logged
    assert display.receive("event.edited")["state"]["notice"] == "We begin at eight"
    for client in (display, phone):
        client.say("clock.ask", sent=9).receive("clock.synced", sent=9)
        assert not any("audit" in frame for frame in client.frames)
    query = "SELECT by, action FROM events_auditentry WHERE event_id = ? ORDER BY id"
    assert [tuple(row) for row in server.rows(query, made["id"])] == [entry[:2] for entry in logged]


def test_each_console_shows_entries_in_its_language(
    made: dict[str, Any], cookie: str, console: SocketClient, clients: SocketClients
) -> None:
    german = clients.console(made["code"], f"{cookie}; language=de")
    german.receive("console.welcomed")
    done(console, 1, "turn.extra_time", seconds=60)
    assert received_entries(console, 1)[0]["what"] == "olga added 1 minute to every turn"
    assert "1 Minute" in received_entries(german, 1)[0]["what"]


def test_undo_reaches_all_consoles_and_happens_once(
    made: dict[str, Any], cookie: str, console: SocketClient, server: Server, clients: SocketClients
) -> None:
    other = clients.console(made["code"], cookie)
    other.receive("console.welcomed")
    done(console, 1, "lobby.open")
    done(console, 2, "joining.lock")
    lock = receive_entry(other, "joining.lock", undo="joining.unlock", undone=False)
    console.say("action.undo", id=3, entry=lock["id"]).receive("action.done", id=3)
    for room in (console, other):
        receive_entry(room, "joining.lock", undo=None, undone=True)
        receive_entry(room, "joining.unlock", undo="joining.lock", undone=False)
    before = server.contents()
    other.say("action.undo", id=1, entry=lock["id"])
    assert other.receive("action.refused", id=1)["text"] == "This can't be undone any more."
    assert server.contents() == before


def test_console_welcome_contains_last_ten_entries(
    made: dict[str, Any], cookie: str, console: SocketClient, server: Server, clients: SocketClients
) -> None:
    for number in range(1, 13):
        done(console, number, "notice.show", text=f"Line {number}")
    welcome = clients.console(made["code"], cookie).receive("console.welcomed")
    assert [entry["what"] for entry in welcome["audit"]] == [
        f"olga wrote: Line {n}" for n in range(12, 2, -1)
    ]
    assert welcome["role"] == "owner"


def test_rehearsal_is_logged_and_undone(console: SocketClient) -> None:
    done(console, 1, "lobby.open")
    done(console, 2, "rehearsal.start", phones=3)
    console.receive_until(lambda m: m["type"] == "rehearsal.updated" and m["connected"] == 3)
    started = received_entries(console, 2)[1]
    console.say("action.undo", id=3, entry=started["id"]).receive("action.done", id=3)
    assert [entry["what"] for entry in received_entries(console, 3)] == [
        "olga opened the lobby",
        "olga started a rehearsal. Simulated phones: 3",
        "olga stopped the rehearsal",
    ]


def test_cohost_may_act_and_viewer_may_only_watch(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    server.ask("roster", event_id=made["id"], text="Ann")
    rooms = {}
    for role, has_key in (("cohost", True), ("viewer", False)):
        server.ask("member", event_id=made["id"], name=f"the {role}", role=role)
        rooms[role] = clients.console(made["code"], server.ask("session", name=f"the {role}"))
        welcome = rooms[role].receive("console.welcomed")
        assert (welcome["role"], welcome["display_key"] is not None) == (role, has_key)
    viewer = rooms["viewer"]
    done(rooms["cohost"], 1, "match.start")
    assert refused(server, viewer, 1, "match.abort") == "You don't have permission to do this."
    (started,) = received_entries(viewer, 1)
    assert started["by"] == "the cohost"
    before = server.contents()
    viewer.say("action.undo", id=99, entry=started["id"])
    assert "permission" in viewer.receive("action.refused", id=99)["text"]
    viewer.say("people.ask", query="")
    assert viewer.receive("people.found")["people"] == []
    assert server.contents() == before
    assert any(message["type"] == "match.started" for message in viewer.received)


def test_console_is_closed_after_role_change(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    server.ask("member", event_id=made["id"], name="vera", role="viewer")
    cookie = server.ask("session", name="vera")
    room = clients.console(made["code"], cookie)
    assert room.receive("console.welcomed")["role"] == "viewer"
    server.ask("member", event_id=made["id"], name="vera", role="cohost")
    assert room.closed() == CloseCode.UNAVAILABLE
    assert clients.console(made["code"], cookie).receive("console.welcomed")["role"] == "cohost"
