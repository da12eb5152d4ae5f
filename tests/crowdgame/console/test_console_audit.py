"""Console actions are logged and sent to every console of the event; roles limit who may act."""

from typing import Any

from crowdgame.console.actions import ACTIONS
from crowdgame.console.consumer import RECHECK_S
from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients
from tests.voting.consoles import (
    closed_within,
    console,
    cookie,
    done,
    made,
    receive_entry,
    received_entries,
    refused,
)
from voting.protocol import CloseCode

__all__ = ["console", "cookie", "made"]


def test_actions_are_logged_and_sent_only_to_consoles(
    made: dict[str, Any], cookie: str, console: SocketClient, server: Server, clients: SocketClients
) -> None:
    other = clients.console(made["code"], cookie)
    assert other.receive("console.welcomed")["audit"] == []
    done(console, 1, "lobby.open")
    display, _ = clients.display(made["code"])
    phone, _ = clients.phone(made["code"])
    done(console, 2, "notice.show", text="We begin at eight")
    for room in (console, other):
        assert [(entry["by"], entry["what"]) for entry in received_entries(room, 2)] == [
            ("olga", "opened the lobby"),
            ("olga", "wrote: We begin at eight"),
        ]
    assert display.receive("event.edited")["state"]["notice"] == "We begin at eight"
    for client in (display, phone):
        client.say("clock.ask", sent=9).receive("clock.synced", sent=9)
        assert not any("audit" in frame for frame in client.frames)
    kept = server.rows(
        "SELECT by, action, what FROM events_auditentry WHERE event_id = ? ORDER BY id", made["id"]
    )
    assert [tuple(row) for row in kept] == [
        ("olga", "lobby.open", "opened the lobby"),
        ("olga", "notice.show", "wrote: We begin at eight"),
    ]


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


def test_refused_action_is_not_logged(server: Server, console: SocketClient) -> None:
    refused(server, console, 1, "turn.close")
    refused(server, console, 2, "hands.count", team=2, hands=[1])
    done(console, 3, "lobby.open")
    assert [entry["action"] for entry in received_entries(console, 1)] == ["lobby.open"]


def test_console_welcome_contains_last_ten_entries(
    made: dict[str, Any], cookie: str, console: SocketClient, server: Server, clients: SocketClients
) -> None:
    for number in range(1, 13):
        done(console, number, "notice.show", text=f"Line {number}")
    welcome = clients.console(made["code"], cookie).receive("console.welcomed")
    assert [entry["what"] for entry in welcome["audit"]] == [f"wrote: Line {n}" for n in range(12, 2, -1)]
    assert welcome["role"] == "owner"


def test_rehearsal_is_logged_and_undone(console: SocketClient) -> None:
    done(console, 1, "lobby.open")
    done(console, 2, "rehearsal.start", phones=3)
    console.receive_until(lambda m: m["type"] == "rehearsal.updated" and m["connected"] == 3)
    started = received_entries(console, 2)[1]
    console.say("action.undo", id=3, entry=started["id"]).receive("action.done", id=3)
    assert [entry["what"] for entry in received_entries(console, 3)] == [
        "opened the lobby",
        "started a rehearsal with 3 simulated phones",
        "stopped the rehearsal",
    ]


def test_cohost_may_act_and_viewer_may_only_watch(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    welcomes, rooms = {}, {}
    for role in ("cohost", "viewer"):
        server.ask("member", event_id=made["id"], name=f"the {role}", role=role)
        rooms[role] = clients.console(made["code"], server.ask("session", name=f"the {role}"))
        welcomes[role] = rooms[role].receive("console.welcomed")
    assert {role: welcome["role"] for role, welcome in welcomes.items()} == {
        "cohost": "cohost",
        "viewer": "viewer",
    }
    assert (bool(welcomes["cohost"]["display_key"]), welcomes["viewer"]["display_key"]) == (True, None)
    done(rooms["cohost"], 1, "match.start")
    for number, action in enumerate(ACTIONS, 1):
        assert refused(server, rooms["viewer"], number, action) == "You don't have permission to do this."
    (started,) = received_entries(rooms["viewer"], 1)
    before = server.contents()
    rooms["viewer"].say("action.undo", id=99, entry=started["id"])
    assert "permission" in rooms["viewer"].receive("action.refused", id=99)["text"]
    assert server.contents() == before
    assert any(message["type"] == "match.started" for message in rooms["viewer"].received)
    assert [entry["by"] for entry in received_entries(rooms["viewer"], 1)] == ["the cohost"]


def test_console_is_closed_after_role_change(
    made: dict[str, Any], server: Server, clients: SocketClients
) -> None:
    server.ask("member", event_id=made["id"], name="vera", role="viewer")
    cookie = server.ask("session", name="vera")
    room = clients.console(made["code"], cookie)
    assert room.receive("console.welcomed")["role"] == "viewer"
    server.ask("member", event_id=made["id"], name="vera", role="cohost")
    assert closed_within(room, RECHECK_S + 10) == CloseCode.UNAVAILABLE
    assert clients.console(made["code"], cookie).receive("console.welcomed")["role"] == "cohost"
