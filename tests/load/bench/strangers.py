"""A process of strangers who flood a server until SIGTERM ends it.

They try to join with wrong codes or open the join page, or list games, once a second at most. People who log
in try again at once; the server lets them wait. Each upload lacks the last KiB of its body, and stays open.
The process prints a line when it is ready. In the end it prints what was answered.
"""

import asyncio
import signal
import socket
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlencode

from picows import WSError

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.serving.request_limits import MAX_UPLOAD_BYTES
from tests.load.bench.connection import open_connection
from tests.load.bench.machine import give_way

EVERY_S = 1.0
REPLY_WITHIN_S = 60.0
CSRF_TOKEN = "c" * 32
HEAD = b"POST /console/cups/new/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % MAX_UPLOAD_BYTES
UNFINISHED = HEAD + bytes(MAX_UPLOAD_BYTES - 1_024)
SEND_BUFFER_BYTES = 65_536
replies: Counter[str] = Counter()


async def join(port: int, number: int) -> None:
    """Try to join an event that does not exist."""
    connection = await open_connection(port, "/ws/phone", lambda phone, _: phone.close())
    try:
        connection.say(b'{"type":"phone.join","code":"%06d"}' % number)
        await connection.closed
    finally:
        connection.close()
    replies["joins"] += 1


async def upload(port: int, _: int) -> None:
    """Hold an upload open that the server did not close while it was sent."""
    writer = (await asyncio.open_connection(LOOPBACK, port))[1]
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    try:
        writer.write(UNFINISHED)
        await writer.drain()
        replies["uploads sent"] += 1
    except OSError:
        replies["uploads closed by the server"] += 1
    await asyncio.sleep(REPLY_WITHIN_S)


async def open_page(port: int, path: str) -> None:
    await request(port, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    replies[f"pages {path}"] += 1


async def log_in(port: int, number: int) -> None:
    fields = {"csrfmiddlewaretoken": CSRF_TOKEN, "login": f"nobody {number}", "password": "a guess"}
    body = urlencode(fields)
    head = (
        "POST /console/login/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n"
        f"Cookie: csrftoken={CSRF_TOKEN}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    status = await request(port, head + body)
    replies[f"logins with status {status}"] += 1


async def request(port: int, text: str) -> str:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    try:
        writer.write(text.encode())
        return (await reader.read()).split(b" ", 2)[1].decode()
    finally:
        writer.close()


Action = Callable[[int, int], Awaitable[None]]
KINDS: dict[str, tuple[tuple[Action, ...], float]] = {
    "uploads": ((upload,), 0.0),
    "strangers": ((join, lambda port, _: open_page(port, "/")), EVERY_S),
    "pages": ((lambda port, _: open_page(port, "/play/"),), EVERY_S),
    "logins": ((log_in,), 0.0),
}


async def act(kind: str, port: int, number: int) -> None:
    actions, every_s = KINDS[kind]
    loop = asyncio.get_running_loop()
    await asyncio.sleep(number % 100 / 100 * every_s)
    while True:
        due = loop.time() + every_s
        with suppress(OSError, WSError, IndexError):
            async with asyncio.timeout(REPLY_WITHIN_S):
                await actions[number % len(actions)](port, number)
        await asyncio.sleep(max(0.0, due - loop.time()))


async def run(kind: str, port: int, count: int) -> None:
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    tasks = [asyncio.create_task(act(kind, port, number)) for number in range(count)]
    await over.wait()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def main() -> None:
    kind, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    give_way()
    print("ready", flush=True)
    asyncio.run(run(kind, port, count))
    print(", ".join(f"{number} {what}" for what, number in replies.items()) or "no replies", flush=True)


if __name__ == "__main__":
    main()
