"""Guessing keys on a running server is rate-limited, without affecting other clients."""

import pytest

from tests.server import Server
from tests.socket_clients import SocketClient, SocketClients
from tests.voting.admission_keys import event, join_refusal, key_for, refused
from voting.admission.admission import WRONG_KEY_BURST
from voting.protocol import CloseCode


@pytest.mark.parametrize("admission", ["rotating", "tickets"])
def test_guessing_keys_is_rate_limited(admission: str, server: Server, clients: SocketClients) -> None:
    """Two wrong keys a second are still checked, so a correct key may succeed: try it several times."""
    made = event(server, admission)
    _, welcome = clients.phone(made["code"], key=key_for(admission, made, server, clients))
    wrong = "22222" if admission == "rotating" else "22222222"
    assert WRONG_KEY_BURST <= guess(clients, made["code"], wrong) < WRONG_KEY_BURST + 100
    codes = []
    for _ in range(5):
        right = key_for(admission, made, server, clients)
        guess(clients, made["code"], wrong)
        codes.append(first_answer(clients, made["code"], right))
    assert "retry.after" in codes
    assert clients.phone(made["code"], token=welcome["you"]["token"])
    other = event(server, admission)
    assert join_refusal(clients, other["code"], key=wrong) == "key_wrong"


def test_stale_codes_do_not_count_as_guesses(server: Server, clients: SocketClients) -> None:
    """Phones without a key do not count as guesses, and are asked for one even while somebody guesses."""
    made = event(server, "rotating")
    stale = server.ask("earlier_code", code=made["code"], periods=3)
    for _ in range(50):
        client = clients.open("phone")
        for _ in range(20):
            assert refused(client, made["code"], key=stale) == "key_wrong"
        client.leave()
    assert clients.phone(made["code"], key=key_for("rotating", made, server, clients))
    for _ in range(5):
        guess(clients, made["code"], "22222")
        assert join_refusal(clients, made["code"]) == "key_needed"


def guess(clients: SocketClients, code: str, wrong: str) -> int:
    """Try wrong keys, twenty per socket, until the server checks no more; return how many it checked."""
    checked = 0
    while checked < 2 * WRONG_KEY_BURST:
        client = clients.open("phone")
        for _ in range(20):
            client.say("phone.join", code=code, key=wrong)
            if answer(client) == "retry.after":
                assert client.closed() == CloseCode.CROWDED
                return checked
            checked += 1
        client.leave()
    return checked


def first_answer(clients: SocketClients, code: str, key: str | None) -> str:
    return answer(clients.open("phone").say("phone.join", code=code, key=key))


def answer(client: SocketClient) -> str:
    kinds = {"phone.welcomed", "error", "retry.after"}
    return str(client.receive_until(lambda message: message["type"] in kinds)["type"])
