"""The console socket: who is admitted, and a reply to each action."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.deploy.processes import wait_until
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.consoles import done, refused
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
    turn = display.receive("match.started")["state"]["match"]["turn"]
    done(console, 3, "turn.pause", turn=turn["id"])
    paused = display.receive("turn.paused")["state"]["match"]["turn"]
    left_ms = paused["left_ms"]
    assert (paused["paused"], 590_000 < left_ms <= 600_000) == (True, True)
    done(console, 4, "turn.extend", turn=turn["id"], seconds=60)
    assert display.receive("turn.moved")["state"]["match"]["turn"]["left_ms"] == left_ms + 60_000
    done(console, 5, "turn.resume", turn=turn["id"])
    resumed = display.receive("turn.resumed")["state"]["match"]["turn"]
    assert resumed["closes_at"] - resumed["opens_at"] == left_ms + 60_000
    server.ask("open_turn_now", event_id=made["id"])
    done(console, 6, "turn.close", turn=turn["id"])
    assert display.receive("turn.revealed")["state"]["match"]["turn"]["number"] == 2
    done(console, 7, "turn.void", turn=turn["id"])
    assert display.receive("turn.voided")["state"]["match"]["turn"]["number"] == 1
    done(console, 8, "joining.lock")
    done(console, 9, "joining.unlock")
    done(console, 10, "match.abort")
    assert display.receive("match.aborted")["state"]["match"]["state"] == "aborted"
    seqs = [message["seq"] for message in display.received if "seq" in message]
    assert seqs == list(range(13))  # a close is two changes: the deadline moves, then the reveal
    fresh = clients.display(made["code"])[1]
    changes = [message for message in display.received if "state" in message]
    assert (fresh["seq"], fresh["state"]) == (changes[-1]["seq"], changes[-1]["state"])
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
    done(console, 7, "rehearsal.stop")
    assert not updated(lambda m: not m["running"])["lost"]
    display.receive_until(lambda m: m["type"] == "turnout.counted" and sum(m["connected"]) == 0)


@pytest.mark.nightly
def test_console_rehearsal_marks_its_match_and_ends_with_it(
    made: dict[str, Any], server: Server, console: SocketClient
) -> None:
    done(console, 1, "lobby.open")
    done(console, 2, "match.start")
    done(console, 3, "rehearsal.start", phones=3)
    console.receive_until(lambda m: m["type"] == "rehearsal.updated" and m["connected"] == 3)
    wait_until(lambda: server.ask("rehearsed_matches", event_id=made["id"]) == [1])
    done(console, 4, "match.abort")
    console.receive_until(lambda m: m["type"] == "rehearsal.updated" and not m["running"])
    done(console, 5, "rehearsal.start", phones=2)
