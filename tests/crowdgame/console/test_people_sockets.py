"""Voters are moved, kicked, banned and admitted on a running server; each has one vote."""

from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.deploy.processes import wait_until
from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.consoles import done, received_entries, refused
from tests.voting.open_turn import cast, refusal, vote
from voting.protocol import CloseCode


@pytest.fixture
def turn(made: dict[str, Any], server: Server, console: SocketClient) -> int:
    done(console, 1, "lobby.open")
    return int(server.ask("play_to", event_id=made["id"], picks=[]))


def join_turn(
    clients: SocketClients, made: dict[str, Any], turn: int, token: str | None = None
) -> tuple[SocketClient, Message]:
    """Join, and wait until the gateway knows the turn."""
    phone, welcome = clients.phone(made["code"], token=token)
    state = welcome["state"]
    while not (state["match"] and state["match"]["turn"] and state["match"]["turn"]["id"] == turn):
        state = phone.receive_until(lambda message: "state" in message)["state"]
    return phone, welcome["you"]


def is_admitted(clients: SocketClients, team: int, **join: Any) -> bool:
    """Whether the phone is admitted to this team; gateways apply restrictions with a delay."""
    client = clients.open("phone").say("phone.join", **join)
    try:
        return bool(client.receive("phone.welcomed")["you"]["team"] == team)
    except ConnectionClosed:
        return False


def counts(server: Server, console: SocketClient, phone: SocketClient, turn: int) -> list[list[int]]:
    done(console, 99, "turn.close", turn=turn)
    reveal = phone.receive("turn.revealed")["state"]["match"]["reveal"]
    return [reveal[side]["counts"] for side in ("red", "yellow")]


def test_moved_phone_is_welcomed_again_and_votes_for_new_team(
    made: dict[str, Any], turn: int, console: SocketClient, server: Server, clients: SocketClients
) -> None:
    phone, you = join_turn(clients, made, turn)
    other = 3 - you["team"]
    vote(phone, turn, choice=3)
    done(console, 2, "voter.move", voter_code=you["voter_code"], team=other)
    moved = phone.receive("phone.welcomed")["you"]
    assert (moved["team"], moved["voter_code"], moved["choice"]) == (other, you["voter_code"], None)
    assert refusal(phone, **cast(turn, choice=3, sequence=1)) == "stale"
    vote(phone, turn, choice=5, sequence=2)
    assert server.ask("voters_in_box", event_id=made["id"], turn_id=turn) == [you["token"].split(".")[1]]
    sides = counts(server, console, phone, turn)
    assert sides[other - 1][4] == 1
    assert sum(map(sum, sides)) == 1


def test_moved_voter_keeps_earlier_vote_for_old_team(
    made: dict[str, Any], turn: int, console: SocketClient, server: Server, clients: SocketClients
) -> None:
    phone, you = join_turn(clients, made, turn)
    vote(phone, turn, choice=3)
    done(console, 2, "voter.move", voter_code=you["voter_code"], team=3 - you["team"])
    phone.receive("phone.welcomed")
    again, back = join_turn(clients, made, turn, you["token"])
    assert (back["team"], back["turn"], back["choice"], back["sequence"]) == (3 - you["team"], turn, None, 1)
    sides = counts(server, console, again, turn)
    assert sides[you["team"] - 1][2] == 1
    assert sum(map(sum, sides)) == 1


def test_repeatedly_moved_voter_on_two_devices_has_one_vote(
    made: dict[str, Any], turn: int, console: SocketClient, server: Server, clients: SocketClients
) -> None:
    one, you = join_turn(clients, made, turn)
    two, _ = join_turn(clients, made, turn, you["token"])
    sequence = 0
    for number, team in enumerate((3 - you["team"], None, 3 - you["team"], you["team"], 3 - you["team"]), 2):
        for device in (one, two):
            sequence += 1
            vote(device, turn, choice=1 + sequence % 7, sequence=sequence)
        done(console, number, "voter.move", voter_code=you["voter_code"], team=team)
        for device in (one, two):
            assert device.receive("phone.welcomed")["you"]["team"] == (team or you["team"])
    assert server.ask("voters_in_box", event_id=made["id"], turn_id=turn) == [you["token"].split(".")[1]]
    vote(two, turn, choice=2, sequence=sequence + 1)
    sides = counts(server, console, one, turn)
    assert sides[2 - you["team"]][1] == 1
    assert sum(map(sum, sides)) == 1


def test_kicked_phone_is_disconnected_and_may_rejoin(
    made: dict[str, Any], turn: int, console: SocketClient, clients: SocketClients
) -> None:
    phone, you = join_turn(clients, made, turn)
    stays, _ = join_turn(clients, made, turn)
    done(console, 2, "voter.kick", voter_code=you["voter_code"].lower())
    assert phone.closed() == CloseCode.KICKED
    back, again = join_turn(clients, made, turn, you["token"])
    assert (again["team"], again["voter_code"]) == (you["team"], you["voter_code"])
    vote(back, turn)
    vote(stays, turn)


def test_banned_voter_rejoins_only_when_admitted_and_keeps_ballot(
    made: dict[str, Any], turn: int, console: SocketClient, server: Server, clients: SocketClients
) -> None:
    phone, you = join_turn(clients, made, turn)
    vote(phone, turn, choice=3)
    done(console, 2, "voter.ban", voter_code=you["voter_code"])
    assert phone.closed() == CloseCode.BANNED
    for _ in range(2):
        assert clients.open("phone").say("phone.join", code=made["code"], token=you["token"]).closed() == 4507
    assert refused(server, console, 3, "voter.ban", voter_code=you["voter_code"]) == "Already done."
    new_phone, _ = join_turn(clients, made, turn)
    done(console, 4, "voter.admit", voter_code=you["voter_code"])
    wait_until(lambda: is_admitted(clients, you["team"], code=made["code"], token=you["token"]))
    _, again = join_turn(clients, made, turn, you["token"])
    assert (again["choice"], again["team"]) == (3, you["team"])
    assert sum(map(sum, counts(server, console, new_phone, turn))) == 1
    assert [entry["what"] for entry in received_entries(console, 4)][1:3] == [
        f"banned {you['voter_code']} (code not on any list)",
        f"unbanned {you['voter_code']}",
    ]


def test_roster_pupil_is_found_by_name_banned_and_moved(
    made: dict[str, Any], console: SocketClient, server: Server, clients: SocketClients
) -> None:
    event = server.ask("event", lobby="open", admission="roster")
    ann, ben = server.ask("roster", event_id=event["id"], text="Ann, Rooks\nBen, Rooks")
    roster_console = clients.console(event["code"], server.ask("session", name="olga"))
    roster_console.receive("console.welcomed")
    roster_console.say("people.ask", query="an")
    (person,) = roster_console.receive("people.found", query="an")["people"]
    assert (person["name"], person["team"], person["moved"], person["banned"]) == ("Ann", 1, None, False)
    done(roster_console, 1, "voter.ban", voter_code=person["voter_code"])
    assert clients.open("phone").say("phone.join", code=event["code"], key=ann).closed() == CloseCode.BANNED
    used = server.rows("SELECT used_at FROM voting_ticket WHERE event_id = ? AND code = ?", event["id"], ann)
    done(roster_console, 2, "voter.admit", voter_code=person["voter_code"])
    done(roster_console, 3, "voter.move", voter_code=person["voter_code"], team=2)
    wait_until(lambda: is_admitted(clients, 2, code=event["code"], key=ann))
    _, welcome = clients.phone(event["code"], key=ann)
    assert (welcome["you"]["team"], welcome["you"]["voter_code"]) == (2, person["voter_code"])
    _, other = clients.phone(event["code"], key=ben)
    assert other["you"]["team"] == 1
    assert used[0][0] is None or welcome["you"]["voter_code"] == person["voter_code"]
    roster_console.say("people.ask", query="")
    assert [one["moved"] for one in roster_console.receive("people.found", query="")["people"]] == [2, None]
