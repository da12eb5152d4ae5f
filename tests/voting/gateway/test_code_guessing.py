"""Limits on guessing the codes of an event on a running server."""

import sqlite3

from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients
from tests.voting.gateway.admission_code_helpers import (
    database,
    display_with_codes,
    event,
    join_refusal,
    key_for,
    refused,
    shown,
)
from voting.admission.admission import WRONG_KEY_BURST
from voting.gateway.phone import MAX_WRONG_KEYS
from voting.protocol import CloseCode

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
