"""Rotating codes on a running server: each admits to its own event while the event requires codes."""

from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.admission_keys import display_with_codes, event, join_refusal, refused, shown, voter_of


def test_current_rotating_code_admits_and_others_do_not(server: Server, clients: SocketClients) -> None:
    code = event(server, "rotating")["code"]
    message = shown(display_with_codes(server, clients, code))
    client = clients.open("phone")
    assert refused(client, code) == "key_needed"
    assert refused(client, code, key="  - ") == "key_needed"
    assert refused(client, code, key="22222") == "key_wrong"
    client.say("phone.join", code=code, key=f" {message['key'].lower()[:2]}-{message['key'][2:]}")
    welcome = client.receive("phone.welcomed")
    assert welcome["state"]["admission"] == "rotating"
    _, back = clients.phone(code, token=welcome["you"]["token"])
    assert voter_of(back) == voter_of(welcome)


def test_rotating_code_is_refused_at_another_event(server: Server, clients: SocketClients) -> None:
    here, there = event(server, "rotating")["code"], event(server, "rotating")["code"]
    key = shown(display_with_codes(server, clients, here))["key"]
    assert join_refusal(clients, there, key=key) == "key_wrong"


def test_rotating_code_is_checked_after_team_choice(server: Server, clients: SocketClients) -> None:
    code = event(server, "rotating", team_choice="choose")["code"]
    key = shown(display_with_codes(server, clients, code))["key"]
    client = clients.open("phone")
    assert refused(client, code, key=key) == "team_needed"
    assert refused(client, code, team=2) == "key_needed"
    assert client.say("phone.join", code=code, team=2, key=key).receive("phone.welcomed")["you"]["team"] == 2


def test_display_shows_codes_only_while_event_requires_them(server: Server, clients: SocketClients) -> None:
    made = event(server, "open")
    display = display_with_codes(server, clients, made["code"])
    server.ask("edit", event_id=made["id"], admission="rotating")
    key = shown(display)["key"]
    _, welcome = clients.phone(made["code"], key=key)
    server.ask("edit", event_id=made["id"], admission="tickets")
    display.receive_until(lambda message: message.get("state", {}).get("admission") == "tickets")
    assert join_refusal(clients, made["code"], key=key) == "key_wrong"
    assert clients.phone(made["code"], token=welcome["you"]["token"])
