"""`python -m tests.load.bench.flood`: how long votes take during floods, compared with quiet rounds.

The floods are unfinished uploads, strangers who try to join, visitors of the list of games, logins, requests
of programs to the API, and voters who write and support suggestions. Quiet rounds alternate with them. In
each round, every phone votes once a second. The flooding process uses only the CPU time that is left, because
a real one runs on another machine and takes none from the gateway. So this machine has to be idle otherwise;
after each round, a line says how much of the flood was sent.
"""

import asyncio
import signal
import socket
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing import Process
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlencode

from picows import WSError

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.laptop.stack import SERVERS
from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from crowdgame.server.serving.request_limits import MAX_UPLOAD_BYTES
from tests.load.bench.connection import Connection, open_connection
from tests.load.bench.field import Product, make_product
from tests.load.bench.machine import Stopwatch, allow_files, gateways, give_way
from tests.server import Server, running_server

EVERY_S = 1.0
REST_S = 2.0
REPLY_WITHIN_S = 60.0
SPARE_FILES = 512
CSRF_TOKEN = "c" * 32
UNFINISHED = (
    b"POST /console/cups/new/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % MAX_UPLOAD_BYTES
) + bytes(MAX_UPLOAD_BYTES - 1_024)
API_TOKENS, SUPPORTED = 20, 2
NO_KEYS = ("",)


async def upload(port: int, _: int, _key: str) -> str:
    """Hold an upload open that lacks its last KiB, if the server did not close it while it was sent."""
    writer = (await asyncio.open_connection(LOOPBACK, port))[1]
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
    writer.write(UNFINISHED)
    await writer.drain()
    await asyncio.sleep(REPLY_WITHIN_S)
    return "upload"


async def join(port: int, number: int, _key: str) -> str:
    """Try to join an event that does not exist, or open the join page."""
    if number % 2:
        return await request(port, "GET / HTTP/1.1\r\n")
    connection = await open_connection(port, "/ws/phone", lambda phone, _: phone.close())
    try:
        connection.say(b'{"type":"phone.join","code":"%06d"}' % number)
        await connection.closed
    finally:
        connection.close()
    return "join"


async def log_in(port: int, number: int, _key: str) -> str:
    fields = {"csrfmiddlewaretoken": CSRF_TOKEN, "login": f"nobody {number}", "password": "a guess"}
    body = urlencode(fields)
    headers = f"Content-Type: application/x-www-form-urlencoded\r\nCookie: csrftoken={CSRF_TOKEN}\r\n"
    head = f"POST /console/login/ HTTP/1.1\r\n{headers}Content-Length: {len(body)}\r\n"
    return await request(port, head, body)


async def read(port: int, _: int, token: str) -> str:
    """Open the list of games, or with a token read the list of events."""
    path, header = ("/api/v1/events/", f"Authorization: Bearer {token}\r\n") if token else ("/play/", "")
    return await request(port, f"GET {path} HTTP/1.1\r\n{header}")


async def suggest(port: int, number: int, seat: str) -> str:
    """Write a suggestion, then agree with one each second, and listen."""
    joined = asyncio.Event()
    connection = await open_connection(port, "/ws/chat", lambda *_: joined.set())
    try:
        connection.say(b'{"type":"chat.join","key":"%s"}' % seat.encode())
        await joined.wait()
        connection.say(b'{"type":"suggestion.send","text":"idea %d","choice":%d}' % (number, number % 7 + 1))
        for again in range(number, number + SUPPORTED):
            await asyncio.sleep(EVERY_S)
            connection.say(b'{"type":"suggestion.mark","id":%d,"mark":"agree"}' % (again % 50 + 1))
    finally:
        connection.close()
    return "suggestion"


async def request(port: int, head: str, body: str = "") -> str:
    """Send a request; return its first line and the status."""
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    try:
        writer.write(f"{head}Host: localhost\r\nConnection: close\r\n\r\n{body}".encode())
        return f"{head.splitlines()[0]}: {(await reader.read()).split(b' ', 2)[1].decode()}"
    finally:
        writer.close()


# How many at once, what each does, and how often; the server lets people who log in wait.
FLOODS: dict[str, tuple[int, Callable[[int, int, str], Awaitable[str]], float]] = {
    "uploads": (500, upload, 0.0),
    "strangers": (400, join, EVERY_S),
    "pages": (400, read, EVERY_S),
    "logins": (60, log_in, 0.0),
    "api": (100, read, EVERY_S),
    "suggestions": (1_000, suggest, EVERY_S),
}


async def flood(kind: str, port: int, count: int, keys: Sequence[str]) -> None:
    """Act until SIGTERM, then print what was answered."""
    give_way()
    (_, action, every_s), replies = FLOODS[kind], Counter[str]()
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, over.set)

    async def act(number: int) -> None:
        await asyncio.sleep(number % 100 / 100 * every_s)
        while True:
            due = loop.time() + every_s
            with suppress(OSError, WSError, IndexError):
                async with asyncio.timeout(REPLY_WITHIN_S):
                    replies[await action(port, number, keys[number % len(keys)])] += 1
            await asyncio.sleep(max(0.0, due - loop.time()))

    tasks = [asyncio.create_task(act(number)) for number in range(count)]
    await over.wait()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    print(f"  {kind}:", ", ".join(f"{times} {what}" for what, times in replies.items()) or "no replies")


def run_flood(kind: str, port: int, count: int, keys: Sequence[str]) -> None:
    asyncio.run(flood(kind, port, count, keys))


@contextmanager
def running_flood(kind: str, port: int, count: int, keys: Sequence[str]) -> Iterator[None]:
    flooder = Process(target=run_flood, args=(kind, port, count, keys))
    flooder.start()
    try:
        yield
    finally:
        flooder.terminate()
        flooder.join()


class Voters:
    """Phones that vote once every EVERY_S. `answered_ms`: from each ballot to its acknowledgment."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self._phones: Sequence[Connection] = product.contender.connections
        self._all_answered = asyncio.Event()
        self._sent_at: dict[Connection, float] = {}
        self.answered_ms: list[float] = []
        product.contender.on_frame = self._receive

    async def vote_for(self, seconds: float) -> list[float]:
        """Return the times of all ballots sent in these seconds, in milliseconds."""
        self.answered_ms = []
        began = time.perf_counter()
        for number in range(round(seconds / EVERY_S * len(self._phones))):
            due = began + number * EVERY_S / len(self._phones)
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            phone = self._phones[number % len(self._phones)]
            if phone not in self._sent_at:
                self._sent_at[phone] = time.perf_counter()
                self._all_answered.clear()
                phone.say(self._product.vote(phone))
        async with asyncio.timeout(30.0):
            await self._all_answered.wait()
        return self.answered_ms

    def _receive(self, phone: Connection, text: bytes) -> None:
        if self._product.is_answer(text):
            self.answered_ms.append((time.perf_counter() - self._sent_at.pop(phone)) * 1000)
            if not self._sent_at:
                self._all_answered.set()


def main() -> None:
    options = _read_options()
    interrupt_on_signals()
    allow_files(max(count for count, *_ in FLOODS.values()) + options.phones + SPARE_FILES)
    for name in options.server:
        with (
            tempfile.TemporaryDirectory(prefix="crowdgame-flood-", ignore_cleanup_errors=True) as home,
            running_server(Path(home), name) as server,
        ):
            asyncio.run(_measure(server, options))


async def _measure(server: Server, options: Namespace) -> None:
    product, port = make_product("crowdgame", server), server.stack.port
    await product.join(options.phones)
    voters = Voters(product)
    await voters.vote_for(REST_S)
    keys = {kind: _make_keys(kind, server, product.event_id) for kind in options.flood}
    for kind in ("pages", "logins"):  # the first page imports modules and compiles templates
        with running_flood(kind, port, 1, NO_KEYS):
            await asyncio.sleep(REST_S)
    times: dict[str, list[float]] = {kind: [] for kind in ("quiet", *options.flood)}
    for _ in range(options.rounds):
        for kind, collected in times.items():
            await asyncio.sleep(REST_S)
            with nullcontext() if kind == "quiet" else running_flood(kind, port, FLOODS[kind][0], keys[kind]):
                watch = Stopwatch(gateways(server))
                found = await voters.vote_for(options.seconds)
                used_s = watch.cpu_s()
            collected.extend(found)
            print(f"{server.stack.server}, {kind}: {_summary(found)}; gateway {used_s:.2f} CPU s", flush=True)
    product.check_ballots()
    for kind, found in times.items():
        pairs = zip(_p50_p99(found), _p50_p99(times["quiet"]), strict=True)
        ratios = " and ".join(f"{flooded / quiet:.2f}" for flooded, quiet in pairs)
        print(f"{server.stack.server}, all {kind}: {_summary(found)}; p50 and p99 ÷ quiet: {ratios}")


def _make_keys(kind: str, server: Server, event_id: int) -> Sequence[str]:
    """Return tokens of the API, of which each allows ten requests a second, or seats of further voters."""
    if kind == "api":
        return [server.ask("api_token", name="olga", scopes=["read"]) for _ in range(API_TOKENS)]
    if kind != "suggestions":
        return NO_KEYS
    server.ask("act", event_id=event_id, action="discussion.start")
    seats = ((f"{number:016x}", number % 2 + 1) for number in range(FLOODS[kind][0]))
    return [server.ask("seat_token", event_id=event_id, voter=voter, team=team) for voter, team in seats]


def _p50_p99(times: Sequence[float]) -> tuple[float, float]:
    shares = quantiles(times, n=100)
    return shares[49], shares[98]


def _summary(times: Sequence[float]) -> str:
    p50, p99 = _p50_p99(times)
    return f"{len(times):,} ballots, p50 {p50:.1f} ms, p99 {p99:.1f} ms, longest {max(times):.0f} ms"


def _read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.load.bench.flood", description=__doc__)
    parser.add_argument("--phones", type=int, default=200, help="how many (default: %(default)s)")
    parser.add_argument("--flood", nargs=1, choices=FLOODS, default=FLOODS, help="only this kind")
    parser.add_argument("--rounds", type=int, default=5, help="of each kind (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of a round (default: %(default)g)")
    parser.add_argument("--server", nargs=1, choices=SERVERS, default=SERVERS, help="only this one")
    return parser.parse_args()


if __name__ == "__main__":
    main()
