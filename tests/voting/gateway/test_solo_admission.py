"""One voter against the crowd: only the ticket admits to the solo team, everyone else joins the other."""

from typing import Any

from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients

BALLOT = {"epoch": 1, "sequence": 1}


def team_of(client: SocketClient) -> int:
    return int(client.receive("phone.welcomed")["you"]["team"])


def join(clients: SocketClients, game: dict[str, Any], **fields: Any) -> SocketClient:
    return clients.open("phone").say("phone.join", code=game["code"], **fields)


def test_solo_team_admits_ticket_holder_only(server: Server, clients: SocketClients) -> None:
    game = server.ask("against_crowd", begun=False)
    solo, others = game["place"], 3 - game["place"]
    joined = [team_of(join(clients, game, team=wish)) for wish in (None, solo, others, None)]
    assert joined == [others] * 4
    join(clients, game, key="BBBBBB").receive("error", code="key_wrong")
    solo_seats = [join(clients, game, key=game["key"]).receive("phone.welcomed")["you"] for _ in range(2)]
    assert [you["team"] for you in solo_seats] == [solo, solo]
    assert len({you["voter_code"] for you in solo_seats}) == 1
    assert team_of(join(clients, game, token=solo_seats[0]["token"])) == solo


def test_solo_ballot_decides_against_crowd(server: Server, clients: SocketClients) -> None:
    game = server.ask("against_crowd")
    sides = ["red", "yellow"] if game["place"] == 1 else ["yellow", "red"]
    solo_phone, welcome = clients.phone(game["code"], key=game["key"])
    turn = welcome["state"]["match"]["turn"]
    server.ask("open_turn_now", event_id=game["id"])
    crowd = [clients.phone(game["code"])[0] for _ in range(3)]
    for client, choice in zip((solo_phone, *crowd), (4, 2, 2, 5), strict=True):
        client.say("ballot.cast", turn=turn["id"], choice=choice, **BALLOT)
        client.receive("ballot.counted", choice=choice)
    reveal = solo_phone.receive("turn.revealed")["state"]["match"]["reveal"]
    assert [(reveal[side]["pick"], reveal[side]["ballots"]) for side in sides] == [(4, 1), (2, 3)]


def test_turnout_counts_watching_displays(server: Server, clients: SocketClients) -> None:
    game = server.ask("against_crowd")
    solo_phone, _ = clients.phone(game["code"], key=game["key"])
    displays = [clients.display(game["code"])[0] for _ in range(3)]
    for client in (solo_phone, displays[0]):
        client.receive("turnout.counted", watching=3)
    displays.pop().leave()
    displays[0].receive("turnout.counted", watching=2)


def test_refused_duel_visitor_counts_as_watching(server: Server, clients: SocketClients) -> None:
    duel = server.ask("duel")
    display, _ = clients.display(duel["code"])
    clients.open("phone").say("phone.join", code=duel["code"]).receive("error", code="key_needed")
    display.receive("turnout.counted", watching=2)
