"""WebSocket consumers called directly over ASGI, for cases that are too slow over the network."""

import asyncio
import json
from typing import Any

import pytest

from voting.gateway import socket
from voting.gateway.phone import PhoneConsumer
from voting.protocol import CloseCode


class FakeConnection:
    """An ASGI connection with prepared incoming events; records the outgoing ones."""

    def __init__(self, *events: dict[str, Any]) -> None:
        self.sent: list[dict[str, Any]] = []
        self._events = asyncio.Queue[dict[str, Any]]()
        for event in ({"type": "websocket.connect"}, *events):
            self._events.put_nowait(event)

    async def receive(self) -> dict[str, Any]:
        return await self._events.get()

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)


async def run_consumer(application: Any, *events: dict[str, Any]) -> list[dict[str, Any]]:
    connection = FakeConnection(*events)
    async with asyncio.timeout(10):
        await application({"type": "websocket", "headers": []}, connection.receive, connection.send)
    return connection.sent


def test_phone_that_does_not_join_in_time_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.02)
    sent = asyncio.run(run_consumer(PhoneConsumer.as_asgi()))
    assert sent == [
        {"type": "websocket.accept"},
        {"type": "websocket.close", "code": CloseCode.JOIN_TIMEOUT},
    ]


def test_join_timeout_is_not_extended_by_other_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.02)
    sent = asyncio.run(run_consumer(PhoneConsumer.as_asgi(), {"type": "websocket.receive", "text": "{}"}))
    assert sent[-1] == {"type": "websocket.close", "code": CloseCode.JOIN_TIMEOUT}
    assert b"malformed" in sent[1]["text"].encode()


class Slow:
    """A gateway whose rooms never finish loading."""

    retry_ms = None

    async def room(self, _: str) -> None:
        await asyncio.Event().wait()


def test_busy_server_answers_join_with_retry_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the delay, all phones would reconnect at once and time out again."""
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.05)
    monkeypatch.setattr(socket, "gateway", Slow)
    join = '{"type": "phone.join", "code": "Q7RM"}'
    sent = asyncio.run(run_consumer(PhoneConsumer.as_asgi(), {"type": "websocket.receive", "text": join}))
    assert [json.loads(message["text"]) for message in sent[1:-1]] == [
        {"type": "retry.after", "within_ms": 15_000}
    ]
    assert sent[-1] == {"type": "websocket.close", "code": CloseCode.CROWDED}


def test_disconnected_phone_receives_nothing_more() -> None:
    assert asyncio.run(run_consumer(PhoneConsumer.as_asgi(), {"type": "websocket.disconnect"})) == [
        {"type": "websocket.accept"}
    ]


def test_binary_frame_closes_socket() -> None:
    frame = {"type": "websocket.receive", "bytes": b"{}", "text": None}
    assert asyncio.run(run_consumer(PhoneConsumer.as_asgi(), frame))[-1]["code"] == CloseCode.BAD_FRAME


def test_unknown_path_refuses_socket() -> None:
    assert asyncio.run(run_consumer(socket.refuse_socket)) == [{"type": "websocket.close"}]


@pytest.mark.parametrize("code", [value for name, value in vars(CloseCode).items() if name.isupper()])
def test_close_codes_from_4500_mean_no_reconnect(code: int) -> None:
    final = {
        "BAD_FRAME",
        "FRAME_TOO_LARGE",
        "NO_SUCH_EVENT",
        "BAD_TOKEN",
        "NOT_ALLOWED",
        "OPEN_ELSEWHERE",
        "KICKED",
        "BANNED",
    }
    names = {value: name for name, value in vars(CloseCode).items()}
    assert (code >= 4500) == (names[code] in final)
    assert 4000 <= code < 5000
