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


def received(text: str) -> dict[str, Any]:
    return {"type": "websocket.receive", "text": text}


@pytest.mark.parametrize("frames", [[], ["{}"]], ids=["silent", "malformed frame"])
def test_phone_that_does_not_join_in_time_is_closed(
    frames: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other frames do not extend the timeout."""
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.02)
    accepted, *answers, closed = asyncio.run(run_consumer(PhoneConsumer.as_asgi(), *map(received, frames)))
    assert accepted == {"type": "websocket.accept"}
    assert ["malformed" in answer["text"] for answer in answers] == [True] * len(frames)
    assert closed == {"type": "websocket.close", "code": CloseCode.JOIN_TIMEOUT}


class Slow:
    """A gateway whose rooms never finish loading."""

    retry_ms = None

    async def room(self, _: str) -> None:
        await asyncio.Event().wait()


def test_busy_server_answers_join_with_retry_after(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the delay, all phones would reconnect at once and time out again."""
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.05)
    monkeypatch.setattr(socket, "gateway", Slow)
    join = '{"type": "phone.join", "code": "Q7RM"}'
    _, answer, closed = asyncio.run(run_consumer(PhoneConsumer.as_asgi(), received(join)))
    assert json.loads(answer["text"]) == {"type": "retry.after", "within_ms": 15_000}
    assert closed == {"type": "websocket.close", "code": CloseCode.CROWDED}


def test_disconnected_phone_receives_nothing_more() -> None:
    assert asyncio.run(run_consumer(PhoneConsumer.as_asgi(), {"type": "websocket.disconnect"})) == [
        {"type": "websocket.accept"}
    ]


def test_close_codes_from_4500_mean_no_reconnect() -> None:
    codes = {value for name, value in vars(CloseCode).items() if name.isupper()}
    assert all(4000 <= code < 5000 for code in codes)
    assert {code for code in codes if code >= 4500} == {
        CloseCode.BAD_FRAME,
        CloseCode.FRAME_TOO_LARGE,
        CloseCode.NO_SUCH_EVENT,
        CloseCode.BAD_TOKEN,
        CloseCode.NOT_ALLOWED,
        CloseCode.OPEN_ELSEWHERE,
        CloseCode.KICKED,
        CloseCode.BANNED,
    }
