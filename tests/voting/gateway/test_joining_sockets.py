import json
import re
import urllib.request
from typing import Any

import msgspec
import pytest

from tests.server import Server
from tests.socket_clients import Message, SocketClients
from tests.voting.consoles import done, open_console
from tests.voting.open_turn import Stage, cast, event, harmless, refusal, stage, vote
from voting.admission.links import qr_rows
from voting.gateway.display import MAX_DISPLAYS
from voting.protocol import CloseCode, PagePreload
from voting.terms import HANDS

__all__ = ["harmless", "stage"]
PRELOAD = re.compile(r'<script type="application/json" id="preload">(.*?)</script>', re.DOTALL)


def test_keyless_displays_and_miniatures_displace_each_other(server: Server, clients: SocketClients) -> None:
    """The oldest ones are closed, and may reconnect."""
    made = server.ask("event", lobby="open")
    code = made["code"]
    key = open_console(server, clients, code).received[0]["display_key"]
    projector, _ = clients.display(code, key=key)
    silent = [clients.display(code)[0] for _ in range(MAX_DISPLAYS)]
    second_projector, _ = clients.display(code, key=key)
    clients.display(code, key="0" * 24)
    assert silent[0].receive("retry.after")["within_ms"] > 0
    assert silent[0].closed() == CloseCode.CROWDED
    miniatures = [clients.display(code, key=key, preview=True)[0] for _ in range(MAX_DISPLAYS + 1)]
    assert miniatures[0].closed() == CloseCode.CROWDED
    server.ask("edit", event_id=made["id"], notice="Lunch")
    for display in (projector, second_projector, silent[1], miniatures[1]):
        assert display.receive("event.edited")["state"]["notice"] == "Lunch"


@pytest.mark.parametrize(("kind", "choices"), [("duel", {}), ("event", {"embed_sites": "https://a.example"})])
def test_watchers_of_a_duel_or_an_embedded_event_do_not_displace_each_other(
    server: Server, clients: SocketClients, kind: str, choices: dict[str, str]
) -> None:
    code = server.ask(kind, **choices)["code"]
    watchers = [clients.display(code)[0] for _ in range(MAX_DISPLAYS + 1)]
    assert watchers[0].say("clock.ask", sent=1).receive("clock.synced", sent=1)


@pytest.mark.usefixtures("harmless")
def test_welcome_has_seat_state_and_links(stage: Stage, clients: SocketClients, server: Server) -> None:
    _, welcome = clients.phone(f"\u200e{stage.code.lower()}.")
    assert set(welcome) == {"type", "now_at", "seq", "you", "state"}
    assert welcome["you"]["team"] in (1, 2)
    assert welcome["you"]["token"]
    state = welcome["state"]
    assert (state["code"], state["match"]["turn"]["id"]) == (stage.code, stage.turn)
    assert state["match"]["turn"]["opens_at"] < welcome["now_at"] < state["match"]["turn"]["closes_at"]
    _, welcome = clients.display(stage.code)
    assert welcome["join_url"] == f"{server.http}/{stage.code}"
    links = [welcome["join_url"], *(f"{welcome['join_url']}/{team}" for team in (1, 2))]
    assert [welcome["qr"], *welcome["team_qrs"]] == [list(qr_rows(link)) for link in links]
    assert "you" not in welcome


@pytest.mark.parametrize("choice", ["choose", "link"])
def test_phone_must_choose_team_if_required(choice: str, server: Server, clients: SocketClients) -> None:
    code = event(server, lobby="open", team_choice=choice)
    client = clients.open("phone").say("phone.join", code=code)
    message = client.receive("error", code="team_needed")
    assert [team["name"] for team in message["event"]["teams"]] == ["Rooks", "Doves"]
    client.say("phone.join", code=code, team=2)
    assert client.receive("phone.welcomed")["you"]["team"] == 2
    assert [clients.phone(code, team=2)[1]["you"]["team"] for _ in range(3)] == [2, 2, 2]
    balanced = event(server, lobby="open")
    teams = [clients.phone(balanced, team=1)[1]["you"]["team"] for _ in range(6)]
    assert sorted(teams) == [1, 1, 1, 2, 2, 2], "the chosen team does not count otherwise"


def test_phone_joins_only_an_open_lobby_unless_it_has_a_seat(server: Server, clients: SocketClients) -> None:
    code = event(server)
    console = open_console(server, clients, code)
    phone = clients.open("phone").say("phone.join", code=code)
    phone.receive("error", code="lobby_closed")
    done(console, 1, "lobby.open")
    assert phone.receive("lobby.opened")["state"]["lobby"] == "open"
    you = phone.say("phone.join", code=code).receive("phone.welcomed")["you"]
    done(console, 2, "joining.lock")
    assert phone.receive("joining.locked")["state"]["lobby"] == "locked"
    clients.open("phone").say("phone.join", code=code).receive("error", code="joining_locked")
    assert clients.phone(code, token=you["token"])[1]["you"]["team"] == you["team"] == 1


def hands_event(server: Server, teams: list[int], **choices: Any) -> dict[str, Any]:
    made: dict[str, Any] = server.ask("event", lobby="open", **choices)
    server.ask("vote_by_hands", event_id=made["id"], teams=teams)
    return made


def test_phone_is_refused_while_both_teams_show_hands(server: Server, clients: SocketClients) -> None:
    made = hands_event(server, [1, 2])
    client = clients.open("phone").say("phone.join", code=made["code"])
    message = client.receive("error", code="hands_only")
    assert [team["source"] for team in message["event"]["teams"]] == [HANDS, HANDS]
    server.ask("vote_by_hands", event_id=made["id"], teams=[2])
    client.receive("event.edited")
    assert client.say("phone.join", code=made["code"]).receive("phone.welcomed")["you"]["team"] == 1


@pytest.mark.parametrize("choice", ["balance", "choose", "link"])
def test_phones_and_pupils_join_the_other_team(choice: str, server: Server, clients: SocketClients) -> None:
    code = hands_event(server, [1], team_choice=choice)["code"]
    assert [clients.phone(code, team=wish)[1]["you"]["team"] for wish in (None, 1, 2)] == [2, 2, 2]
    listed = hands_event(server, [2], team_choice=choice, admission="roster")
    keys = server.ask("roster", event_id=listed["id"], text="Ann, Doves\nBen, Rooks\nCarla")
    assert [clients.phone(listed["code"], key=key)[1]["you"]["team"] for key in keys] == [1, 1, 1]


def test_phone_of_hands_team_rejoins_in_other_team(server: Server, clients: SocketClients) -> None:
    made = hands_event(server, [], team_choice="choose")
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


def test_turnout_counts_displays_and_refused_visitors(server: Server, clients: SocketClients) -> None:
    duel = server.ask("duel")
    displays = [clients.display(duel["code"])[0] for _ in range(3)]
    displays[0].receive("turnout.counted", watching=3)
    displays.pop().leave()
    displays[0].receive("turnout.counted", watching=2)
    clients.open("phone").say("phone.join", code=duel["code"]).receive("error", code="key_needed")
    displays[0].receive("turnout.counted", watching=3)


def embedded(server: Server, path: str) -> str | None:
    with urllib.request.urlopen(f"{server.http}/{path}") as answer:  # noqa: S310
        found = PRELOAD.search(answer.read().decode())
    return found[1] if found else None


def offering_event(server: Server, clients: SocketClients, **choices: Any) -> tuple[str, Message]:
    """An event whose pages contain a preload, because a display has joined it, and that one's welcome."""
    code = event(server, **{"lobby": "open", "window_s": 600, **choices})
    assert embedded(server, code) is None
    return code, clients.display(code)[1]


def preload(server: Server, path: str) -> PagePreload:
    return msgspec.json.decode(embedded(server, path) or "", type=PagePreload)


def token_fields(token: str | None) -> list[str]:
    assert token
    return token.split(":", maxsplit=1)[0].split(".")[:3]


@pytest.mark.parametrize("admission", ["open", "rotating"])
def test_pages_preload_state_without_key(admission: str, server: Server, clients: SocketClients) -> None:
    notice = "</script><script>alert(1)</script>"
    code, welcome = offering_event(server, clients, admission=admission, notice=notice)
    found = preload(server, code)
    assert json.loads(msgspec.json.encode(found.state)) == welcome["state"]
    assert (found.seq, found.state.notice) == (welcome["seq"], notice)
    assert abs(found.now_at - welcome["now_at"]) < 30_000
    page = json.loads(embedded(server, f"display/{code}") or "")
    assert page | {"now_at": 0} == welcome | {"now_at": 0}
    assert embedded(server, "display/ZZZZ") is None


def test_offered_seats_are_balanced_and_assigned_on_join(server: Server, clients: SocketClients) -> None:
    code, _ = offering_event(server, clients)
    found = [preload(server, code) for _ in range(10)]
    assert sorted(offered.team for offered in found) == [1] * 5 + [2] * 5
    assert len({offered.offer for offered in found}) == 10
    tokens = [clients.phone(code, offer=found[0].offer)[1]["you"]["token"] for _ in range(2)]
    assert tokens[0] == tokens[1]
    assert token_fields(tokens[0]) == token_fields(found[0].offer)
    assert token_fields(tokens[0])[2] == str(found[0].team)
    other_event, _ = offering_event(server, clients)
    for no_offer in (tokens[0], preload(server, other_event).offer):
        token = token_fields(clients.phone(code, offer=no_offer)[1]["you"]["token"])
        assert token[0] == token_fields(found[0].offer)[0]
        assert token[1] != token_fields(no_offer)[1]
    foreign = clients.phone(other_event)[1]["you"]["token"]
    for forged in (found[1].offer, foreign, tokens[0][:-2], "x", "é" * 100):
        forger = clients.open("phone").say("phone.join", code=code, token=forged)
        assert forger.closed() == CloseCode.BAD_TOKEN


@pytest.mark.parametrize(
    ("terms", "path", "team"),
    [
        ({"lobby": "closed"}, "", 0),
        ({"lobby": "locked"}, "", 0),
        ({"admission": "rotating"}, "", 0),
        ({"admission": "tickets"}, "", 0),
        ({"team_choice": "choose"}, "/1", 0),
        ({"team_choice": "link"}, "", 0),
        ({"team_choice": "link"}, "/2", 2),
    ],
)
def test_seat_is_offered_only_if_page_can_admit(
    terms: dict[str, str], path: str, team: int, server: Server, clients: SocketClients
) -> None:
    found = preload(server, offering_event(server, clients, **terms)[0] + path)
    assert (found.team, found.offer is not None) == (team, bool(team))
