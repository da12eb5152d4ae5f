"""Joining over the sockets of a running server, and the welcome messages."""

import time

import pytest

from tests.deploy.processes import wait_until
from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.open_turn import Stage, event, harmless, stage
from voting.gateway.display import MAX_DISPLAYS
from voting.protocol import CloseCode

__all__ = ["harmless", "stage"]


def test_displays_over_limit_receive_retry_after(server: Server, clients: SocketClients) -> None:
    code = event(server, lobby="open")
    first, _ = clients.display(code)
    for _ in range(MAX_DISPLAYS - 1):
        clients.display(code)
    late = clients.open("display").say("display.join", code=code)
    assert late.receive("retry.after")["within_ms"] > 0
    assert late.closed() == CloseCode.CROWDED
    clients.phone(code)
    first.leave()

    def is_admitted() -> bool:
        client = clients.open("display").say("display.join", code=code)
        message = client.receive_until(lambda message: message["type"] in {"display.welcomed", "retry.after"})
        return bool(message["type"] == "display.welcomed")

    wait_until(is_admitted)


@pytest.mark.usefixtures("stage", "harmless")
def test_phone_welcome_contains_seat_state_and_time(stage: Stage, clients: SocketClients) -> None:
    _, welcome = clients.phone(stage.code.lower())
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
    console = clients.console(made["code"], server.ask("session", name="olga"))
    console.receive("console.welcomed")
    console.say("action.ask", id=1, action="lobby.open")
    console.receive("action.done", id=1)
    assert client.receive("lobby.opened")["state"]["lobby"] == "open"
    assert client.say("phone.join", code=made["code"]).receive("phone.welcomed")["you"]["team"] == 1


def test_clock_is_synced_with_server_before_any_join(server: Server, clients: SocketClients) -> None:
    client, before = clients.open("phone"), time.time() * 1000
    message = client.say("clock.ask", sent=1).receive("clock.synced", sent=1)
    assert before - 1_000 < message["now_at"] < time.time() * 1000 + 1_000


def test_locked_event_admits_only_seated_phones(server: Server, clients: SocketClients) -> None:
    made = server.ask("event", lobby="open")
    phone, welcome = clients.phone(made["code"])
    console = clients.console(made["code"], server.ask("session", name="olga"))
    console.receive("console.welcomed")
    console.say("action.ask", id=1, action="joining.lock")
    assert phone.receive("joining.locked")["state"]["lobby"] == "locked"
    late_phone = clients.open("phone").say("phone.join", code=made["code"])
    assert late_phone.receive("error")["code"] == "joining_locked"
    _, again = clients.phone(made["code"], token=welcome["you"]["token"])
    assert again["you"]["team"] == welcome["you"]["team"]


@pytest.mark.usefixtures("stage", "harmless")
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
    assert "you" not in welcome


def test_clock_is_synced_before_and_after_joining(stage: Stage, clients: SocketClients) -> None:
    client = clients.open("phone").say("clock.ask", sent=12.5)
    first = client.receive("clock.synced", sent=12.5)
    client.say("phone.join", code=stage.code)
    welcome = client.receive("phone.welcomed")
    client.say("clock.ask", sent=13)
    later = client.receive("clock.synced", sent=13.0)
    assert first["now_at"] > 0
    assert welcome["now_at"] <= later["now_at"] <= welcome["now_at"] + 60_000
