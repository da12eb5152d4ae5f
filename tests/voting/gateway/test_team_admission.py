"""The team that a phone joins: show of hands, and one voter against the crowd."""

from typing import Any

import pytest

from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.open_turn import cast, refusal, vote
from voting.terms import HANDS


def event(server: Server, teams: list[int], **choices: Any) -> dict[str, Any]:
    """An event whose `teams` vote by show of hands."""
    made: dict[str, Any] = server.ask("event", lobby="open", window_s=600, **choices)
    server.ask("vote_by_hands", event_id=made["id"], teams=teams)
    return made


def test_phone_is_refused_while_both_teams_show_hands(server: Server, clients: SocketClients) -> None:
    made = event(server, [1, 2])
    client = clients.open("phone").say("phone.join", code=made["code"])
    message = client.receive("error", code="hands_only")
    assert [team["source"] for team in message["event"]["teams"]] == [HANDS, HANDS]
    server.ask("vote_by_hands", event_id=made["id"], teams=[2])
    client.receive("event.edited")
    assert client.say("phone.join", code=made["code"]).receive("phone.welcomed")["you"]["team"] == 1


@pytest.mark.parametrize("choice", ["balance", "choose", "link"])
@pytest.mark.parametrize("hands", [1, 2])
def test_phones_join_the_team_without_show_of_hands(
    hands: int, choice: str, server: Server, clients: SocketClients
) -> None:
    code, wishes = event(server, [hands], team_choice=choice)["code"], (None, 1, 2, None)
    assert [clients.phone(code, team=wish)[1]["you"]["team"] for wish in wishes] == [3 - hands] * 4


def test_phone_of_hands_team_rejoins_in_other_team(server: Server, clients: SocketClients) -> None:
    made = event(server, [], team_choice="choose")
    before, welcome = clients.phone(made["code"], team=2)
    turn = server.ask("play_to", event_id=made["id"], picks=[])
    server.ask("vote_by_hands", event_id=made["id"], teams=[2])
    before.receive_until(lambda message: message["type"] == "event.edited" and message["state"]["match"])
    assert refusal(before, **cast(turn)) == "not_to_move"
    after, again = clients.phone(made["code"], token=welcome["you"]["token"])
    assert again["you"]["team"] == 1
    vote(after, turn)
    voter = welcome["you"]["token"].split(".")[1]
    assert server.ask("voters_in_box", event_id=made["id"], turn_id=turn) == [voter]


@pytest.mark.parametrize("choice", ["balance", "choose"])
def test_listed_pupil_of_hands_team_joins_other_team(
    choice: str, server: Server, clients: SocketClients
) -> None:
    made = event(server, [2], team_choice=choice, admission="roster")
    codes = server.ask("roster", event_id=made["id"], text="Ann, Doves\nBen, Rooks\nCarla")
    teams = [clients.phone(made["code"], key=key)[1]["you"]["team"] for key in (*codes, codes[0])]
    assert teams == [1, 1, 1, 1]


def test_solo_team_admits_ticket_holder_only(server: Server, clients: SocketClients) -> None:
    game = server.ask("against_crowd", begun=False)
    code, key, solo = game["code"], game["key"], game["place"]
    others = [clients.phone(code, team=wish)[1]["you"]["team"] for wish in (None, solo, 3 - solo, None)]
    assert others == [3 - solo] * 4
    clients.open("phone").say("phone.join", code=code, key="BBBBBB").receive("error", code="key_wrong")
    first, second = (clients.phone(code, key=key)[1]["you"] for _ in range(2))
    assert first["team"] == second["team"] == solo
    assert first["voter_code"] == second["voter_code"]
    assert clients.phone(code, token=first["token"])[1]["you"]["team"] == solo


def test_solo_ballot_decides_against_crowd(server: Server, clients: SocketClients) -> None:
    game = server.ask("against_crowd")
    sides = ["red", "yellow"] if game["place"] == 1 else ["yellow", "red"]
    solo_phone, welcome = clients.phone(game["code"], key=game["key"])
    server.ask("open_turn_now", event_id=game["id"])
    crowd = [clients.phone(game["code"])[0] for _ in range(3)]
    for client, choice in zip((solo_phone, *crowd), (4, 2, 2, 5), strict=True):
        vote(client, welcome["state"]["match"]["turn"]["id"], choice)
    reveal = solo_phone.receive("turn.revealed")["state"]["match"]["reveal"]
    assert [(reveal[side]["pick"], reveal[side]["ballots"]) for side in sides] == [(4, 1), (2, 3)]


def test_turnout_counts_watching_displays_and_refused_visitors(
    server: Server, clients: SocketClients
) -> None:
    duel = server.ask("duel")
    displays = [clients.display(duel["code"])[0] for _ in range(3)]
    displays[0].receive("turnout.counted", watching=3)
    displays.pop().leave()
    displays[0].receive("turnout.counted", watching=2)
    clients.open("phone").say("phone.join", code=duel["code"]).receive("error", code="key_needed")
    displays[0].receive("turnout.counted", watching=3)
