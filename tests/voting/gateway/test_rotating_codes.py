"""Admission with rotating codes, which trusted displays show, on a running server."""

import json

import pytest

from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.consoles import done, open_console
from tests.voting.gateway.admission_code_helpers import (
    display_with_codes,
    event,
    join_refusal,
    refused,
    shown,
    voter_of,
)
from voting.admission.admission import CODE_PERIOD_MS
from voting.admission.links import qr_rows
from voting.protocol import CloseCode


def test_current_rotating_code_admits_only_while_event_requires_it(
    server: Server, clients: SocketClients
) -> None:
    made = event(server, "open")
    code = made["code"]
    display = display_with_codes(server, clients, code)
    server.ask("edit", event_id=made["id"], admission="rotating")
    key = shown(display)["key"]
    client = clients.open("phone")
    for wrong, refusal in ((None, "key_needed"), ("  - ", "key_needed"), ("22222", "key_wrong")):
        assert refused(client, code, key=wrong) == refusal
    client.say("phone.join", code=code, key=f" {key.lower()[:2]}-{key[2:]}")
    welcome = client.receive("phone.welcomed")
    assert welcome["state"]["admission"] == "rotating"
    _, back = clients.phone(code, token=welcome["you"]["token"])
    assert voter_of(back) == voter_of(welcome)
    server.ask("edit", event_id=made["id"], admission="tickets")
    display.receive_until(lambda message: message.get("state", {}).get("admission") == "tickets")
    assert join_refusal(clients, code, key=key) == "key_wrong"
    assert clients.phone(code, token=welcome["you"]["token"])


def receive_next_code(display: SocketClient) -> Message:
    """Wait longer than `SocketClient.receive` does."""
    while True:
        message: Message = json.loads(display.socket.recv(timeout=CODE_PERIOD_MS / 1000 + 5))
        if message["type"] == "key.shown":
            return message


@pytest.mark.nightly
def test_trusted_display_alone_shows_each_rotating_code(server: Server, clients: SocketClients) -> None:
    code = event(server, "rotating")["code"]
    trusted = display_with_codes(server, clients, code)
    others = [clients.display(code)[0], clients.display(code, key="0" * 24)[0]]
    first = shown(trusted)
    address = trusted.received[0]["join_url"]
    assert first["join_url"].startswith(f"{address}#{first['key']}")
    assert first["qr"] != trusted.received[0]["qr"]
    key = first["join_url"].partition("#")[2]
    assert first["team_qrs"] == [list(qr_rows(f"{address}/{team}#{key}")) for team in (1, 2)]
    phone, _ = clients.phone(code, key=first["key"])
    second = receive_next_code(trusted)
    assert second["until_at"] == first["until_at"] + CODE_PERIOD_MS
    assert second["key"] != first["key"]
    phone.say("clock.ask", sent=1)
    now = phone.receive("clock.synced", sent=1)["now_at"]
    assert first["until_at"] <= now < first["until_at"] + CODE_PERIOD_MS
    assert clients.phone(code, key=first["key"])[1]["you"]["token"]  # the previous code is still valid
    for other in [*others, phone]:
        other.say("clock.ask", sent=2).receive("clock.synced", sent=2)
        assert not any("key.shown" in frame or first["key"] in frame for frame in other.frames)


def test_new_display_link_closes_displays_with_old_ones(server: Server, clients: SocketClients) -> None:
    code = event(server, "rotating")["code"]
    console = open_console(server, clients, code)
    old = console.received[0]["display_key"]
    projector, other_display = (clients.display(code, key=key)[0] for key in (old, None))
    shown(projector)
    done(console, 1, "display.renew")
    assert projector.closed() == CloseCode.NOT_ALLOWED
    key = console.receive("console.welcomed")["display_key"]
    assert key != old
    reopened = clients.display(code, key=old)[0]
    assert shown(clients.display(code, key=key)[0])
    for other in (reopened, other_display):
        other.say("clock.ask", sent=1).receive("clock.synced", sent=1)
        assert not any("key.shown" in frame for frame in other.frames)
