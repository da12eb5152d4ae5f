"""The console at a running server: admission, replies, the audit log, and voters who are moved or banned."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.deploy.processes import wait_until
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.consoles import done, receive_entry, received_entries, refused
from tests.voting.open_turn import cast, refusal, vote
from voting.protocol import CloseCode


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
    assert any(ballots_of_a_turn() == 7 for _ in range(3))
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


@dataclass
class LiveTurn:
    """An open turn of an event, with its console."""

    server: Server
    clients: SocketClients
    console: SocketClient
    event: dict[str, Any]
    turn: int
    numbers: Iterator[int] = field(default_factory=lambda: count(2))

    def join(self, token: str | None = None) -> tuple[SocketClient, Message]:
        """Join, and wait until the gateway knows the turn."""
        phone, welcome = self.clients.phone(self.event["code"], token=token)
        state = welcome["state"]
        while not (state["match"] and state["match"]["turn"] and state["match"]["turn"]["id"] == self.turn):
            state = phone.receive_until(lambda message: "state" in message)["state"]
        return phone, welcome["you"]

    def act(self, action: str, **fields: Any) -> None:
        done(self.console, next(self.numbers), action, **fields)

    def votes(self, phone: SocketClient) -> list[tuple[int, int]]:
        """Close the turn; return the team and the column of each vote."""
        self.act("turn.close", turn=self.turn)
        reveal = phone.receive("turn.revealed")["state"]["match"]["reveal"]
        counts = [(1, reveal["red"]["counts"]), (2, reveal["yellow"]["counts"])]
        return [(team, column) for team, held in counts for column, n in enumerate(held, 1) for _ in range(n)]


@pytest.fixture
def live(made: dict[str, Any], server: Server, console: SocketClient, clients: SocketClients) -> LiveTurn:
    done(console, 1, "lobby.open")
    return LiveTurn(server, clients, console, made, server.ask("play_to", event_id=made["id"], picks=[]))


def test_moved_phone_is_welcomed_again_and_votes_for_new_team(live: LiveTurn) -> None:
    phone, you = live.join()
    other = 3 - you["team"]
    vote(phone, live.turn, choice=3)
    live.act("voter.move", voter_code=you["voter_code"], team=other)
    moved = phone.receive("phone.welcomed")["you"]
    assert (moved["team"], moved["voter_code"], moved["choice"]) == (other, you["voter_code"], None)
    assert refusal(phone, **cast(live.turn, choice=3, sequence=1)) == "stale"
    vote(phone, live.turn, choice=5, sequence=2)
    voters = live.server.ask("voters_in_box", event_id=live.event["id"], turn_id=live.turn)
    assert voters == [you["token"].split(".")[1]]
    assert live.votes(phone) == [(other, 5)]


def test_moved_voter_keeps_earlier_vote_for_old_team(live: LiveTurn) -> None:
    phone, you = live.join()
    vote(phone, live.turn, choice=3)
    live.act("voter.move", voter_code=you["voter_code"], team=3 - you["team"])
    phone.receive("phone.welcomed")
    again, back = live.join(you["token"])
    assert (back["team"], back["turn"]) == (3 - you["team"], live.turn)
    assert (back["choice"], back["sequence"]) == (None, 1)
    assert live.votes(again) == [(you["team"], 3)]


def test_banned_voter_rejoins_only_when_admitted_and_keeps_ballot(live: LiveTurn) -> None:
    def is_admitted() -> bool:
        """Gateways apply restrictions with a delay."""
        try:
            return bool(live.clients.open("phone").say("phone.join", **seat).receive("phone.welcomed"))
        except ConnectionClosed:
            return False

    phone, you = live.join()
    seat = {"code": live.event["code"], "token": you["token"]}
    vote(phone, live.turn, choice=3)
    live.act("voter.ban", voter_code=you["voter_code"])
    assert phone.closed() == CloseCode.BANNED
    for _ in range(2):
        assert live.clients.open("phone").say("phone.join", **seat).closed() == CloseCode.BANNED
    new_phone, _ = live.join()
    live.act("voter.admit", voter_code=you["voter_code"])
    wait_until(is_admitted)
    _, again = live.join(you["token"])
    assert (again["choice"], again["team"]) == (3, you["team"])
    assert live.votes(new_phone) == [(you["team"], 3)]
