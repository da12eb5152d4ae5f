"""The console socket: who is admitted and may act, a reply to each action, and the audit log."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.deploy.processes import wait_until
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.consoles import done, receive_entry, received_entries, refused
from voting.protocol import CloseCode

TURNS = 3


def test_console_admits_owner_and_superuser(
    made: dict[str, Any], cookie: str, server: Server, clients: SocketClients
) -> None:
    boss = server.ask("session", name="boss", superuser=True)
    for own in (cookie, boss):
        welcome = clients.console(made["code"], own).receive("console.welcomed")
        assert welcome["join_url"] == f"{server.http}/{made['code']}"
        assert welcome["state"]["lobby"] == "closed"


def test_console_rejects_other_users(
    made: dict[str, Any], cookie: str, server: Server, clients: SocketClients
) -> None:
    other = server.ask("session", name="otto")
    before, since = server.contents(), len(server.log("gateway"))
    for wrong in ("", "sessionid=guess", other, cookie[:-1]):
        assert clients.console(made["code"], wrong).closed() == CloseCode.NOT_ALLOWED
    assert clients.console("ZZZZ", cookie).closed() == CloseCode.NO_SUCH_EVENT
    assert server.contents() == before
    assert server.log_errors("gateway", since) == []


def test_console_actions_reach_display_in_order(
    made: dict[str, Any], console: SocketClient, server: Server, clients: SocketClients
) -> None:
    display, welcome = clients.display(made["code"])
    assert welcome["state"]["match"] is None
    done(console, 1, "lobby.open")
    done(console, 2, "match.start")
    turn = {"turn": display.receive("match.started")["state"]["match"]["turn"]["id"]}
    for number, (action, more, kind) in enumerate(
        [
            ("turn.pause", turn, "turn.paused"),
            ("turn.extend", turn | {"seconds": 60}, "turn.moved"),
            ("turn.resume", turn, "turn.resumed"),
            ("turn.close", turn, "turn.revealed"),
            ("turn.void", turn, "turn.voided"),
            ("joining.lock", {}, "joining.locked"),
            ("joining.unlock", {}, "joining.unlocked"),
            ("match.abort", {}, "match.aborted"),
        ],
        3,
    ):
        if action == "turn.close":
            server.ask("open_turn_now", event_id=made["id"])
        done(console, number, action, **more)
        state = display.receive(kind)["state"]
    assert state["match"]["state"] == "aborted"
    seqs = [message["seq"] for message in display.received if "seq" in message]
    assert seqs == list(range(13))  # a close is two changes: the deadline moves, then the reveal
    fresh = clients.display(made["code"])[1]
    assert (fresh["seq"], fresh["state"]) == (12, state)
    assert server.rows("SELECT state FROM games_match WHERE event_id = ?", made["id"]) == [("aborted",)]


def test_malformed_action_is_rejected(server: Server, console: SocketClient) -> None:
    before = server.contents()
    for fields in (
        {"id": 1, "action": "match.win"},
        {"id": 0, "action": "match.start"},
        {"action": "match.start"},
        {"id": 1, "action": "turn.extend", "seconds": 0},
        {"id": 1, "action": "turn.extend", "seconds": 2_592_001},
    ):
        console.say("action.ask", **fields)
        assert console.receive("error")["code"] == "malformed"
    console.say("console.join", code="ABCD")
    assert console.receive("error")["code"] == "joined_already"
    assert server.contents() == before


def test_console_rehearsal_joins_votes_and_stops(
    made: dict[str, Any], console: SocketClient, server: Server, clients: SocketClients
) -> None:
    def ballots_of_a_turn() -> int:
        """The ballots counted in the next turn; on a busy machine the last one may be late."""
        server.ask("close_after", event_id=made["id"], ms=4_000)
        revealed = display.receive("turn.revealed")["state"]["match"]["reveal"]
        return int(revealed["red"]["ballots"] + revealed["yellow"]["ballots"])

    def updated(is_wanted: Callable[[Message], object]) -> Message:
        return console.receive_until(lambda m: m["type"] == "rehearsal.updated" and is_wanted(m))

    display, _ = clients.display(made["code"])
    assert refused(server, console, 1, "rehearsal.stop") == "No rehearsal is running."
    text = refused(server, console, 2, "rehearsal.start", phones=5)
    assert text == "Open the lobby first. The simulated crowd joins like voters do."
    console.say("action.ask", id=3, action="rehearsal.start", phones=201).receive("error", code="malformed")
    done(console, 4, "lobby.open")
    done(console, 5, "rehearsal.start", phones=7)
    assert updated(lambda m: m["connected"] == 7)["running"]
    display.receive_until(lambda m: m["type"] == "turnout.counted" and sum(m["connected"]) == 7)
    assert "already running" in refused(server, console, 6, "rehearsal.start", phones=7)
    server.ask("begin", event_id=made["id"])
    assert any(ballots_of_a_turn() == 7 for _ in range(TURNS))
    message = updated(lambda m: m["reveal_p99_ms"] is not None)
    assert message["sent"] >= message["acknowledged"] >= 7
    assert (message["lost"], message["ack_p99_ms"] is None) == (0, False)
    started = received_entries(console, 2)[1]
    console.say("action.undo", id=7, entry=started["id"]).receive("action.done", id=7)
    assert not updated(lambda m: not m["running"])["lost"]
    display.receive_until(lambda m: m["type"] == "turnout.counted" and sum(m["connected"]) == 0)
    assert [entry["what"] for entry in received_entries(console, 3)] == [
        "olga opened the lobby",
        "olga started a rehearsal. Simulated phones: 7",
        "olga stopped the rehearsal",
    ]


@pytest.mark.nightly
def test_console_rehearsal_marks_its_match_and_ends_with_it(
    made: dict[str, Any], server: Server, console: SocketClient
) -> None:
    done(console, 1, "lobby.open")
    done(console, 2, "match.start")
    done(console, 3, "rehearsal.start", phones=3)
    console.receive_until(lambda m: m["type"] == "rehearsal.updated" and m["connected"] == 3)
    rehearsed = "SELECT number FROM games_match WHERE event_id = ? AND rehearsed"
    wait_until(lambda: server.rows(rehearsed, made["id"]) == [(1,)])
    done(console, 4, "match.abort")
    console.receive_until(lambda m: m["type"] == "rehearsal.updated" and not m["running"])
    done(console, 5, "rehearsal.start", phones=2)


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
