"""A thundering herd: all phones join, players first, and rejected phones join later."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.server import Server

pytestmark = pytest.mark.nightly

HERD = 1_000
PLAYERS = 100
TIMEOUT_S = 60


async def dial(address: str) -> ClientConnection:
    return await connect(address, compression=None, ping_interval=None, open_timeout=TIMEOUT_S)


async def dial_all(address: str, count: int) -> list[ClientConnection]:
    return await asyncio.gather(*[dial(address) for _ in range(count)])


async def receive(phone: ClientConnection) -> dict[str, Any]:
    async with asyncio.timeout(TIMEOUT_S):
        return dict(json.loads(await phone.recv()))


async def join(phone: ClientConnection, code: str, token: str | None = None) -> dict[str, Any]:
    await phone.send(json.dumps({"type": "phone.join", "code": code, "token": token}))
    return await receive(phone)


async def leave(phones: Sequence[ClientConnection]) -> None:
    await asyncio.gather(*[phone.close() for phone in phones])


def test_herd_of_1000_phones_joins_at_once(server: Server) -> None:
    code = server.ask("event", lobby="open")["code"]

    async def come_at_once() -> list[str]:
        phones = await dial_all(f"{server.ws}/phone", HERD)
        answers = await asyncio.gather(*[join(phone, code) for phone in phones])
        await leave(phones)
        return [answer["type"] for answer in answers]

    assert asyncio.run(come_at_once()) == ["phone.welcomed"] * HERD


def test_returning_players_are_admitted_before_new_phones(server: Server) -> None:
    code = server.ask("event", lobby="open")["code"]

    async def come() -> list[bool]:
        """Return for each admitted phone, in order, whether it was a player."""
        players = await dial_all(f"{server.ws}/phone", PLAYERS)
        tokens = [(await join(phone, code))["you"]["token"] for phone in players]
        await leave(players)
        phones = await dial_all(f"{server.ws}/phone", HERD + PLAYERS)
        welcomed: list[bool] = []

        async def enter(phone: ClientConnection, token: str | None) -> None:
            assert (await join(phone, code, token))["type"] == "phone.welcomed"
            welcomed.append(token is not None)

        await asyncio.gather(
            *[enter(phone, token) for phone, token in zip(phones, [None] * HERD + tokens, strict=True)]
        )
        await leave(phones)
        return welcomed

    welcomed = asyncio.run(come())
    last_player = max(rank for rank, is_player in enumerate(welcomed) if is_player)
    after_them = len(welcomed) - 1 - last_player
    assert welcomed.count(True) == PLAYERS
    assert after_them > HERD / 10
