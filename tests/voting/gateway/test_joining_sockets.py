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


def test_displays_without_key_displace_each_other_but_not_the_projector(
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
    for display in (projector, second_projector, silent[1]):
        assert display.say("clock.ask", sent=1).receive("clock.synced", sent=1)
    server.ask("edit", event_id=made["id"], notice="Lunch")
    for display in (projector, silent[1]):
        assert display.receive("event.edited")["state"]["notice"] == "Lunch"


def test_miniatures_displace_each_other_but_no_projector(server: Server, clients: SocketClients) -> None:
    code = server.ask("event", lobby="open")["code"]
    key = open_console(server, clients, code).received[0]["display_key"]
    projector, _ = clients.display(code, key=key)
    miniatures = [clients.display(code, key=key, preview=True)[0] for _ in range(MAX_DISPLAYS + 1)]
    assert miniatures[0].closed() == CloseCode.CROWDED
    for display in (projector, miniatures[1]):
        assert display.say("clock.ask", sent=1).receive("clock.synced", sent=1)


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


def test_new_phones_are_balanced_regardless_of_chosen_team(server: Server, clients: SocketClients) -> None:
    code = event(server, lobby="open")
    teams = [clients.phone(code, team=1)[1]["you"]["team"] for _ in range(6)]
    assert sorted(teams) == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("choice", ["choose", "link"])
def test_phone_must_choose_team_if_required(choice: str, server: Server, clients: SocketClients) -> None:
    code = event(server, lobby="open", team_choice=choice)
    client = clients.open("phone").say("phone.join", code=code)
    message = client.receive("error", code="team_needed")
    assert [team["name"] for team in message["event"]["teams"]] == ["Rooks", "Doves"]
    client.say("phone.join", code=code, team=2)
    assert client.receive("phone.welcomed")["you"]["team"] == 2
    assert [clients.phone(code, team=2)[1]["you"]["team"] for _ in range(3)] == [2, 2, 2]


def test_phone_cannot_join_until_lobby_opens(server: Server, clients: SocketClients) -> None:
    made = server.ask("event")
    client = clients.open("phone").say("phone.join", code=made["code"])
    assert client.receive("error")["code"] == "lobby_closed"
    done(open_console(server, clients, made["code"]), 1, "lobby.open")
    assert client.receive("lobby.opened")["state"]["lobby"] == "open"
    assert client.say("phone.join", code=made["code"]).receive("phone.welcomed")["you"]["team"] == 1


def test_locked_event_admits_only_seated_phones(server: Server, clients: SocketClients) -> None:
    made = server.ask("event", lobby="open")
    phone, welcome = clients.phone(made["code"])
    done(open_console(server, clients, made["code"]), 1, "joining.lock")
    assert phone.receive("joining.locked")["state"]["lobby"] == "locked"
    late_phone = clients.open("phone").say("phone.join", code=made["code"])
    assert late_phone.receive("error")["code"] == "joining_locked"
    _, again = clients.phone(made["code"], token=welcome["you"]["token"])
    assert again["you"]["team"] == welcome["you"]["team"]


@pytest.mark.usefixtures("harmless")
def test_display_welcome_contains_join_url_and_qr_code(
    stage: Stage, server: Server, clients: SocketClients
) -> None:
    _, welcome = clients.display(stage.code)
    assert welcome["join_url"] == f"{server.http}/{stage.code}"
    rows = welcome["qr"]
    assert len(rows) >= 21
    assert {len(row) for row in rows} == {len(rows)}
    assert set("".join(rows)) == {"0", "1"}
    assert rows[0][:8] == "11111110"
    links = [f"{welcome['join_url']}/{team}" for team in (1, 2)]
    assert welcome["team_qrs"] == [list(qr_rows(link)) for link in links]
    assert "you" not in welcome


def test_clock_is_synced_before_and_after_joining(stage: Stage, clients: SocketClients) -> None:
    client, before = clients.open("phone"), time.time() * 1000
    first = client.say("clock.ask", sent=12.5).receive("clock.synced", sent=12.5)
    assert before - 1_000 < first["now_at"] < time.time() * 1000 + 1_000
    welcome = client.say("phone.join", code=stage.code).receive("phone.welcomed")
    later = client.say("clock.ask", sent=13).receive("clock.synced", sent=13.0)
    assert welcome["now_at"] <= later["now_at"] <= welcome["now_at"] + 60_000
