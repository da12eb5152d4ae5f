"""Voters are moved, kicked, banned and admitted on a running server; each has one vote."""

from dataclasses import dataclass
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.deploy.processes import wait_until
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.consoles import done, open_console, refused
from tests.voting.open_turn import cast, refusal, vote
from voting.protocol import CloseCode


@dataclass
class LiveTurn:
    """An open turn of an event, with its console; actions are numbered."""

    server: Server
    clients: SocketClients
    console: SocketClient
    event: int
    code: str
    turn: int
    asked: int = 1

    def join(self, token: str | None = None) -> tuple[SocketClient, Message]:
        """Join, and wait until the gateway knows the turn."""
        phone, welcome = self.clients.phone(self.code, token=token)
        state = welcome["state"]
        while not (state["match"] and state["match"]["turn"] and state["match"]["turn"]["id"] == self.turn):
            state = phone.receive_until(lambda message: "state" in message)["state"]
        return phone, welcome["you"]

    def act(self, action: str, **fields: Any) -> None:
        self.asked += 1
        done(self.console, self.asked, action, **fields)

    def votes(self, phone: SocketClient) -> list[tuple[int, int]]:
        """Close the turn; return the team and the column of each vote."""
        self.act("turn.close", turn=self.turn)
        reveal = phone.receive("turn.revealed")["state"]["match"]["reveal"]
        counts = [(1, reveal["red"]["counts"]), (2, reveal["yellow"]["counts"])]
        return [(team, column) for team, held in counts for column, n in enumerate(held, 1) for _ in range(n)]


@pytest.fixture
def live(made: dict[str, Any], server: Server, console: SocketClient, clients: SocketClients) -> LiveTurn:
    done(console, 1, "lobby.open")
    turn = int(server.ask("play_to", event_id=made["id"], picks=[]))
    return LiveTurn(server, clients, console, made["id"], made["code"], turn)


def is_admitted(clients: SocketClients, team: int, **join: Any) -> bool:
    """Whether the phone is admitted to this team; gateways apply restrictions with a delay."""
    client = clients.open("phone").say("phone.join", **join)
    try:
        return bool(client.receive("phone.welcomed")["you"]["team"] == team)
    except ConnectionClosed:
        return False


def test_moved_phone_is_welcomed_again_and_votes_for_new_team(live: LiveTurn) -> None:
    phone, you = live.join()
    other = 3 - you["team"]
    vote(phone, live.turn, choice=3)
    live.act("voter.move", voter_code=you["voter_code"], team=other)
    moved = phone.receive("phone.welcomed")["you"]
    assert (moved["team"], moved["voter_code"], moved["choice"]) == (other, you["voter_code"], None)
    assert refusal(phone, **cast(live.turn, choice=3, sequence=1)) == "stale"
    vote(phone, live.turn, choice=5, sequence=2)
    voters = live.server.ask("voters_in_box", event_id=live.event, turn_id=live.turn)
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
    phone, you = live.join()
    voter, seat = {"voter_code": you["voter_code"]}, {"code": live.code, "token": you["token"]}
    vote(phone, live.turn, choice=3)
    live.act("voter.ban", **voter)
    assert phone.closed() == CloseCode.BANNED
    for _ in range(2):
        assert live.clients.open("phone").say("phone.join", **seat).closed() == CloseCode.BANNED
    assert refused(live.server, live.console, 99, "voter.ban", **voter) == "Already done."
    new_phone, _ = live.join()
    live.act("voter.admit", **voter)
    wait_until(lambda: is_admitted(live.clients, you["team"], **seat))
    _, again = live.join(you["token"])
    assert (again["choice"], again["team"]) == (3, you["team"])
    assert live.votes(new_phone) == [(you["team"], 3)]


def test_roster_pupil_is_found_by_name_banned_and_moved(server: Server, clients: SocketClients) -> None:
    event = server.ask("event", lobby="open", admission="roster")
    ann, ben = server.ask("roster", event_id=event["id"], text="Ann, Rooks\nBen, Rooks")
    console = open_console(server, clients, event["code"])
    (person,) = console.say("people.ask", id=1, query="an").receive("people.found", id=1)["people"]
    assert (person["name"], person["team"], person["moved"], person["banned"]) == ("Ann", 1, None, False)
    done(console, 1, "voter.ban", voter_code=person["voter_code"])
    assert clients.open("phone").say("phone.join", code=event["code"], key=ann).closed() == CloseCode.BANNED
    done(console, 2, "voter.admit", voter_code=person["voter_code"])
    done(console, 3, "voter.move", voter_code=person["voter_code"], team=2)
    wait_until(lambda: is_admitted(clients, 2, code=event["code"], key=ann))
    _, welcome = clients.phone(event["code"], key=ann)
    assert (welcome["you"]["team"], welcome["you"]["voter_code"]) == (2, person["voter_code"])
    assert clients.phone(event["code"], key=ben)[1]["you"]["team"] == 1
