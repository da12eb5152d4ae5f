"""A display and its rotating codes over several periods, on a running server."""

import json

from tests.server import Server
from tests.socket_clients import Message, SocketClient, SocketClients
from tests.voting.admission_keys import display_with_codes, event, shown
from voting.admission.admission import CODE_PERIOD_MS


def receive_next_code(display: SocketClient) -> Message:
    """Wait longer than `SocketClient.receive` does."""
    while True:
        message: Message = json.loads(display.socket.recv(timeout=CODE_PERIOD_MS / 1000 + 5))
        if message["type"] == "key.shown":
            return message


def test_trusted_display_alone_shows_each_rotating_code(server: Server, clients: SocketClients) -> None:
    code = event(server, "rotating")["code"]
    trusted = display_with_codes(server, clients, code)
    others = [clients.display(code)[0], clients.display(code, key="0" * 24)[0]]
    first = shown(trusted)
    address = trusted.received[0]["join_url"]
    assert first["join_url"] == f"{address}#{first['key']}"
    assert first["qr"] != trusted.received[0]["qr"]
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
