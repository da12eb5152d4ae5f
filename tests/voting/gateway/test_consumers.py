"""Sockets held by hand, for what would take too long over the network."""

import asyncio
import json
from typing import Any

import pytest

from voting.gateway import socket
from voting.gateway.phone import PhoneConsumer
from voting.gateway.unknown import refuse_socket
from voting.protocol import CloseCode


class Line:
    """Both ends of an ASGI conversation."""

    def __init__(self, *events: dict[str, Any]) -> None:
        self.said: list[dict[str, Any]] = []
        self._events = asyncio.Queue[dict[str, Any]]()
        for event in ({"type": "websocket.connect"}, *events):
            self._events.put_nowait(event)

    async def receive(self) -> dict[str, Any]:
        return await self._events.get()

    async def send(self, message: dict[str, Any]) -> None:
        self.said.append(message)


async def talk(application: Any, *events: dict[str, Any]) -> list[dict[str, Any]]:
    line = Line(*events)
    async with asyncio.timeout(10):
        await application({"type": "websocket", "headers": []}, line.receive, line.send)
    return line.said


def test_who_does_not_join_in_time_is_told_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.02)
    said = asyncio.run(talk(PhoneConsumer.as_asgi()))
    assert said == [
        {"type": "websocket.accept"},
        {"type": "websocket.close", "code": CloseCode.JOIN_TIMEOUT},
    ]


def test_talking_does_not_put_off_the_time_to_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.02)
    said = asyncio.run(talk(PhoneConsumer.as_asgi(), {"type": "websocket.receive", "text": "{}"}))
    assert said[-1] == {"type": "websocket.close", "code": CloseCode.JOIN_TIMEOUT}
    assert b"malformed" in said[1]["text"].encode()


class Slow:
    """A gateway whose rooms take their time to open."""

    retry_ms = None

    async def room(self, _: str) -> None:
        await asyncio.Event().wait()


def test_who_asked_in_time_of_a_busy_server_is_told_when_to_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was not the phone that was late: all would come again at once, and be late again."""
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.05)
    monkeypatch.setattr(socket, "gateway", Slow)
    join = '{"type": "phone.join", "code": "Q7RM"}'
    said = asyncio.run(talk(PhoneConsumer.as_asgi(), {"type": "websocket.receive", "text": join}))
    assert [json.loads(one["text"]) for one in said[1:-1]] == [{"type": "retry.after", "within_ms": 15_000}]
    assert said[-1] == {"type": "websocket.close", "code": CloseCode.CROWDED}


def test_who_hangs_up_is_told_nothing_more() -> None:
    assert asyncio.run(talk(PhoneConsumer.as_asgi(), {"type": "websocket.disconnect"})) == [
        {"type": "websocket.accept"}
    ]


def test_a_frame_with_no_text_is_none() -> None:
    frame = {"type": "websocket.receive", "bytes": b"{}", "text": None}
    assert asyncio.run(talk(PhoneConsumer.as_asgi(), frame))[-1]["code"] == CloseCode.BAD_FRAME


def test_where_there_is_no_socket_none_is_accepted() -> None:
    assert asyncio.run(talk(refuse_socket)) == [{"type": "websocket.close"}]


@pytest.mark.parametrize("code", [value for name, value in vars(CloseCode).items() if name.isupper()])
def test_every_close_code_says_whether_to_come_back(code: int) -> None:
    stay_away = {
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
    assert (code >= 4500) == (names[code] in stay_away)
    assert 4000 <= code < 5000
