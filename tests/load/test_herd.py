"""A hall that comes all at once: everybody gets in, nobody is sent away."""

import asyncio
import json

from websockets.asyncio.client import connect

from tests.stack import House

HERD = 1_000
PATIENCE_S = 60


async def join(address: str, code: str, together: asyncio.Barrier) -> str:
    async with connect(address, compression=None, ping_interval=None, open_timeout=PATIENCE_S) as socket:
        await together.wait()
        await socket.send(json.dumps({"type": "phone.join", "code": code}))
        async with asyncio.timeout(PATIENCE_S):
            return str(json.loads(await socket.recv())["type"])


async def come_at_once(address: str, code: str) -> list[str]:
    together = asyncio.Barrier(HERD)
    return await asyncio.gather(*(join(address, code, together) for _ in range(HERD)))


def test_a_thousand_phones_join_in_one_instant(house: House) -> None:
    code = house.ask("event", lobby="open")["code"]
    answers = asyncio.run(come_at_once(f"{house.ws}/phone", code))
    assert answers == ["phone.welcomed"] * HERD
