"""Requests per second for a page, over persistent connections."""

import asyncio
import time

from tests.load.bench.contender import Contender
from tests.load.bench.machine import Stopwatch
from tests.load.bench.rate import Rate

CONNECTIONS = 16


async def measure_pages(contender: Contender, path: str, seconds: float) -> Rate:
    watch = Stopwatch(contender.servers)
    until, port = time.perf_counter() + seconds, contender.port
    counts = await asyncio.gather(*(_ask_until(until, port, path) for _ in range(CONNECTIONS)))
    return Rate(sum(counts), watch.wall_s, watch.cpu_s(), watch.own_s)


async def _ask_until(until: float, port: int, path: str) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept-Encoding: gzip\r\n\r\n".encode()
    answered = 0
    while time.perf_counter() < until:
        writer.write(request)
        await _read_answer(reader)
        answered += 1
    writer.close()
    return answered


async def _read_answer(reader: asyncio.StreamReader) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    if not head.startswith(b"http/1.1 200"):
        raise ConnectionError(head.decode(errors="replace")[:100])
    _, _, length = head.partition(b"content-length:")
    await reader.readexactly(int(length.split(b"\r\n", 1)[0]))
