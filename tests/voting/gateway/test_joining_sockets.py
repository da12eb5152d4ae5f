"""Joining a running server: phones, displays and their welcome messages."""

import time

import pytest

from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.consoles import done, open_console
from tests.voting.open_turn import Stage, event, harmless, stage
from voting.admission.links import qr_rows
from voting.gateway.display import MAX_DISPLAYS
from voting.protocol import CloseCode

__all__ = ["harmless", "stage"]


def test_displays_without_key_and_miniatures_displace_each_other_but_not_the_projector(
    server: Server, clients: SocketClients
) -> None:
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
def test_phone_welcome_contains_seat_state_and_time(stage: Stage, clients: SocketClients) -> None:
    _, welcome = clients.phone(f"\u200e{stage.code.lower()}.")
    assert set(welcome) == {"type", "now_at", "seq", "you", "state"}
    assert welcome["you"]["team"] in (1, 2)
    assert welcome["you"]["token"]
    state = welcome["state"]
    assert (state["code"], state["match"]["turn"]["id"]) == (stage.code, stage.turn)
    assert state["match"]["turn"]["opens_at"] < welcome["now_at"] < state["match"]["turn"]["closes_at"]


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


def test_phone_joins_only_while_lobby_is_open_unless_it_has_a_seat(
    server: Server, clients: SocketClients
) -> None:
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


@pytest.mark.usefixtures("harmless")
def test_display_welcome_contains_join_url_and_qr_code(
    stage: Stage, server: Server, clients: SocketClients
) -> None:
    _, welcome = clients.display(stage.code)
    assert welcome["join_url"] == f"{server.http}/{stage.code}"
    links = [welcome["join_url"], *(f"{welcome['join_url']}/{team}" for team in (1, 2))]
    assert [welcome["qr"], *welcome["team_qrs"]] == [list(qr_rows(link)) for link in links]
    assert "you" not in welcome


def test_clock_is_synced_before_and_after_joining(stage: Stage, clients: SocketClients) -> None:
    client, before = clients.open("phone"), time.time() * 1000
    first = client.say("clock.ask", sent=12.5).receive("clock.synced", sent=12.5)
    assert before - 1_000 < first["now_at"] < time.time() * 1000 + 1_000
    welcome = client.say("phone.join", code=stage.code).receive("phone.welcomed")
    later = client.say("clock.ask", sent=13).receive("clock.synced", sent=13.0)
    assert welcome["now_at"] <= later["now_at"] <= welcome["now_at"] + 60_000
