"""Admission with tickets and roster codes on a running server."""

import sqlite3
from typing import Any

import pytest

from tests.crowd_helpers import ballots_in_the_box
from tests.deploy.processes import wait_until
from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.gateway.admission_code_helpers import (
    database,
    event,
    join_refusal,
    key_for,
    refused,
    voter_of,
)
from tests.voting.open_turn import cast, refusal, vote
from voting.protocol import CloseCode

__all__ = ["database"]


def used_at(server: Server, made: dict[str, Any]) -> Any:
    [(at,)] = server.rows("SELECT used_at FROM voting_ticket WHERE event_id = ?", made["id"])
    return at


def test_ticket_is_released_if_client_left_before_its_seat(server: Server, clients: SocketClients) -> None:
    made = event(server, "tickets")
    [ticket] = server.ask("tickets", event_id=made["id"], count=1)
    gone, welcome = clients.phone(made["code"], key=ticket)
    gone.leave()
    wait_until(lambda: used_at(server, made) is None)
    client, again = clients.phone(made["code"], key=ticket)
    assert voter_of(again) == voter_of(welcome)
    client.say("clock.ask", sent=1).receive("clock.synced")
    client.leave()
    assert join_refusal(clients, made["code"], key=ticket) == "key_used"


@pytest.mark.parametrize(("lobby", "code"), [("closed", "lobby_closed"), ("locked", "joining_locked")])
def test_ticket_is_refused_while_lobby_is_closed_or_locked(
    lobby: str, code: str, server: Server, clients: SocketClients
) -> None:
    made = event(server, "tickets", lobby=lobby)
    [ticket] = server.ask("tickets", event_id=made["id"], count=1)
    assert join_refusal(clients, made["code"], key=ticket) == code
    assert used_at(server, made) is None


@pytest.mark.parametrize("admission", ["rotating", "tickets"])
def test_key_is_checked_after_team_choice(admission: str, server: Server, clients: SocketClients) -> None:
    made = event(server, admission, team_choice="choose")
    code, key = made["code"], key_for(admission, made, server, clients)
    client = clients.open("phone")
    assert refused(client, code, key=key) == "team_needed"
    assert refused(client, code, team=2) == "key_needed"
    assert client.say("phone.join", code=code, team=2, key=key).receive("phone.welcomed")["you"]["team"] == 2


def test_ticket_admits_once_until_released(server: Server, clients: SocketClients) -> None:
    made = event(server, "tickets")
    code, (ticket, other) = made["code"], server.ask("tickets", event_id=made["id"], count=2)
    client = clients.open("phone")
    assert refused(client, code) == "key_needed"
    assert refused(client, code, key="BCDFGHJK") == "key_wrong"
    assert refused(client, code, key="not a ticket") == "key_wrong"
    client.say("phone.join", code=code, key=f"{ticket[:4]}\uff0d{ticket[4:].lower()}.")
    welcome = client.receive("phone.welcomed")
    client.say("clock.ask", sent=1).receive("clock.synced")
    assert join_refusal(clients, code, key=ticket) == "key_used"
    assert voter_of(clients.phone(code, token=welcome["you"]["token"])[1]) == voter_of(welcome)
    assert voter_of(clients.phone(code, key=other)[1]) != voter_of(welcome)
    assert server.ask("release", event_id=made["id"], code=ticket) == 1
    _, again = clients.phone(code, key=ticket)
    assert (voter_of(again), again["you"]["team"]) == (voter_of(welcome), welcome["you"]["team"])
    assert join_refusal(clients, code, key=ticket) == "key_used"


def test_locked_database_delays_only_ticket_holders(
    server: Server, clients: SocketClients, database: sqlite3.Connection
) -> None:
    open_event, club = event(server, "open"), event(server, "tickets")
    tickets = server.ask("tickets", event_id=club["id"], count=2)
    _, member = clients.phone(club["code"], key=tickets[0])
    clients.phone(open_event["code"])
    database.execute("BEGIN IMMEDIATE")
    waiting = clients.open("phone").say("phone.join", code=club["code"], key=tickets[1])
    for _ in range(5):
        clients.phone(open_event["code"])
        clients.phone(club["code"], token=member["you"]["token"])
    with pytest.raises(TimeoutError):
        waiting.socket.recv(timeout=1)
    database.execute("ROLLBACK")
    assert waiting.receive("phone.welcomed")


def test_ticket_holder_is_disconnected_if_database_refuses(
    server: Server, clients: SocketClients, database: sqlite3.Connection
) -> None:
    made = event(server, "tickets")
    [ticket] = server.ask("tickets", event_id=made["id"], count=1)
    when = f"BEFORE UPDATE ON voting_ticket WHEN OLD.event_id = {made['id']}"
    database.execute(f"CREATE TRIGGER refusing {when} BEGIN SELECT RAISE(ABORT, 'not today'); END")
    phone = clients.open("phone").say("phone.join", code=made["code"], key=ticket)
    assert phone.closed() == CloseCode.UNAVAILABLE
    database.execute("DROP TRIGGER refusing")
    assert clients.phone(made["code"], key=ticket)


def test_roster_code_on_two_devices_is_one_ballot(server: Server, clients: SocketClients) -> None:
    made = event(server, "roster")
    turn = server.ask("play_to", event_id=made["id"], picks=[])
    [key] = server.ask("roster", event_id=made["id"], text="Ada")
    (first, one), (second, two) = (clients.phone(made["code"], key=key) for _ in range(2))
    assert (voter_of(one), one["you"]["team"]) == (voter_of(two), two["you"]["team"])
    vote(first, turn, 3, 1)
    assert ballots_in_the_box(server, made["id"], turn) == 1
    vote(second, turn, 5, 2)
    assert refusal(first, **cast(turn, 4, 1)) == "stale"
    assert ballots_in_the_box(server, made["id"], turn) == 1
    _, third = clients.phone(made["code"], key=key)
    assert (third["you"]["choice"], third["you"]["sequence"]) == (5, 2)


def test_seat_signed_for_both_teams_is_one_ballot(server: Server, clients: SocketClients) -> None:
    """The ballot box enforces it, should a voter ever get two seats."""
    made = event(server, "open")
    turn = server.ask("play_to", event_id=made["id"], picks=[])
    for sequence, team in [(1, 1), (2, 2)]:
        token = server.ask("seat", event_id=made["id"], voter="00ff00ff00ff00ff", team=team)
        client, _ = clients.phone(made["code"], token=token)
        vote(client, turn, 3, sequence)
    assert ballots_in_the_box(server, made["id"], turn) == 1
