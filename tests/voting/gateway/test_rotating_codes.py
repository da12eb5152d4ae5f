"""Admission with rotating codes, which trusted displays show, on a running server."""

import json
import sqlite3

import pytest

from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.consoles import done, open_console
from tests.voting.gateway.admission_code_helpers import (
    database,
    display_with_codes,
    event,
    join_refusal,
    key_for,
    refused,
    shown,
    voter_of,
)
from voting.admission.admission import CODE_PERIOD_MS, WRONG_KEY_BURST
from voting.admission.links import qr_rows
from voting.gateway.phone import MAX_WRONG_KEYS
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


__all__ = ["database"]


def test_guessing_rotating_codes_is_limited_except_for_scanned_ones(
    server: Server, clients: SocketClients
) -> None:
    """Some typed codes are still checked, so a correct one may succeed: try it several times."""
    made = event(server, "rotating")
    display = display_with_codes(server, clients, made["code"])
    _, welcome = clients.phone(made["code"], key=shown(display)["key"])
    assert WRONG_KEY_BURST <= guess(clients, made["code"], "22222") < 2 * WRONG_KEY_BURST
    answers = []
    for _ in range(5):
        message = shown(display_with_codes(server, clients, made["code"]))
        waiting = clients.open("phone")
        guess(clients, made["code"], "22222")
        answers.append(answer(waiting.say("phone.join", code=made["code"], key=message["key"])))
        scanned = message["join_url"].partition("#")[2]
        assert clients.phone(made["code"], key=scanned)
        assert join_refusal(clients, made["code"], key=scanned[:-1] + "A") == "key_wrong"
    assert "retry.after" in answers
    assert clients.phone(made["code"], token=welcome["you"]["token"])
    other = event(server, "rotating")
    assert join_refusal(clients, other["code"], key="22222") == "key_wrong"


def test_guessing_tickets_keeps_no_ticket_holder_out(server: Server, clients: SocketClients) -> None:
    made = event(server, "tickets")
    keys = server.ask("tickets", event_id=made["id"], count=20)
    for key in keys:
        guesser = clients.open("phone")
        for _ in range(MAX_WRONG_KEYS):
            assert refused(guesser, made["code"], key="22222222") == "key_wrong"
        guesser.say("phone.join", code=made["code"], key=key[::-1])
        assert guesser.closed() in {CloseCode.CROWDED, CloseCode.TOO_MANY_FRAMES}
        assert clients.phone(made["code"], key=key)
    assert len(keys) * MAX_WRONG_KEYS >= WRONG_KEY_BURST


def test_wrong_tickets_do_not_wait_for_locked_database(
    server: Server, clients: SocketClients, database: sqlite3.Connection
) -> None:
    made = event(server, "tickets")
    [ticket] = server.ask("tickets", event_id=made["id"], count=1)
    clients.phone(event(server, "open")["code"])
    client = clients.open("phone")
    assert refused(client, made["code"], key="22222222") == "key_wrong"
    database.execute("BEGIN IMMEDIATE")
    assert refused(client, made["code"], key="22222223") == "key_wrong"
    database.execute("ROLLBACK")
    assert clients.phone(made["code"], key=ticket)


def test_stale_codes_do_not_count_as_guesses(server: Server, clients: SocketClients) -> None:
    """Phones without a key do not count as guesses, and are asked for one even while somebody guesses."""
    made = event(server, "rotating")
    stale = server.ask("earlier_code", code=made["code"], periods=3)
    for _ in range(50):
        client = clients.open("phone")
        for _ in range(MAX_WRONG_KEYS):
            assert refused(client, made["code"], key=stale) == "key_wrong"
        client.leave()
    assert clients.phone(made["code"], key=key_for("rotating", made, server, clients))
    for _ in range(5):
        guess(clients, made["code"], "22222")
        assert join_refusal(clients, made["code"]) == "key_needed"


def guess(clients: SocketClients, code: str, wrong: str) -> int:
    """Try wrong keys, ten per socket, until the server checks no more; return how many it checked."""
    checked = 0
    while checked < 4 * WRONG_KEY_BURST:
        client = clients.open("phone")
        for _ in range(MAX_WRONG_KEYS):
            client.say("phone.join", code=code, key=wrong)
            if answer(client) == "retry.after":
                assert client.closed() == CloseCode.CROWDED
                return checked
            checked += 1
        client.leave()
    return checked


def answer(client: SocketClient) -> str:
    kinds = {"phone.welcomed", "error", "retry.after"}
    return str(client.receive_until(lambda message: message["type"] in kinds)["type"])
