"""`python -m tests.load.bench.flood`: how long votes take while a server receives unfinished uploads.

Rounds with and without a flood alternate. In both, each phone votes once a second. The flooding process has
a low priority, because a real client would use another machine's CPU.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import quantiles

from deploy.laptop.paths import ROOT
from deploy.laptop.stop_signals import interrupt_on_signals
from tests.load.bench.connection import Connection
from tests.load.bench.machine import Stopwatch, allow_files
from tests.load.bench.processes import gateways
from tests.load.bench.product import Product, make_product
from tests.load.bench.run import SERVERS
from tests.server import Server, running_server

EVERY_S = 1.0
REST_S = 2.0
ANSWERED_WITHIN_S = 30.0
SPARE_FILES = 512


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
                phone.send(self._product.vote(phone))
        async with asyncio.timeout(ANSWERED_WITHIN_S):
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
    allow_files(options.uploads + options.phones + SPARE_FILES)
    for name in options.server or SERVERS:
        with (
            tempfile.TemporaryDirectory(prefix="crowdgame-flood-", ignore_cleanup_errors=True) as home,
            running_server(Path(home), name) as server,
        ):
            asyncio.run(_measure(server, options))


async def _measure(server: Server, options: Namespace) -> None:
    product = make_product("crowdgame", server)
    await product.join(options.phones)
    voters = Voters(product)
    await voters.vote_for(REST_S)
    quiet: list[float] = []
    flooded: list[float] = []
    for _ in range(options.rounds):
        for times, flood in ((quiet, nullcontext()), (flooded, _flood(server, options.uploads))):
            await asyncio.sleep(REST_S)
            with flood:
                watch = Stopwatch(gateways(server))
                found = await voters.vote_for(options.seconds)
                used_s = watch.cpu_s()
            times.extend(found)
            kind = "flood" if times is flooded else "quiet"
            print(f"{server.stack.server}, {kind}: {_summary(found)}; gateway {used_s:.2f} CPU s", flush=True)
    product.check_ballots()
    print(f"{server.stack.server}, all: quiet {_summary(quiet)}; flood {_summary(flooded)}")
    print(
        f"{server.stack.server}: p99 with the flood ÷ without: {_p99(flooded) / _p99(quiet):.2f}", flush=True
    )


@contextmanager
def _flood(server: Server, uploads: int) -> Iterator[None]:
    program = [sys.executable, "-m", "tests.load.bench.flooder", str(server.stack.port), str(uploads)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        ["nice", "-n", "15", *program], cwd=ROOT, text=True, stdin=pipe, stdout=pipe
    ) as flooder:
        assert flooder.stdin is not None
        assert flooder.stdout is not None
        flooder.stdout.readline()
        flooder.stdin.write("\n")
        flooder.stdin.flush()
        try:
            yield
        finally:
            flooder.terminate()
            print("  uploads:", flooder.stdout.read().strip() or "not all sent")


def _p99(times: Sequence[float]) -> float:
    return quantiles(times, n=100)[98]


def _summary(times: Sequence[float]) -> str:
    middle = quantiles(times, n=100)[49]
    return (
        f"{len(times):,} ballots, p50 {middle:.1f} ms, p99 {_p99(times):.1f} ms, longest {max(times):.0f} ms"
    )


def _read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.load.bench.flood", description=__doc__)
    parser.add_argument("--phones", type=int, default=200, help="how many (default: %(default)s)")
    parser.add_argument("--uploads", type=int, default=500, help="at once (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="of each kind (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of a round (default: %(default)g)")
    parser.add_argument("--server", action="append", choices=SERVERS, help="only this one")
    return parser.parse_args()


if __name__ == "__main__":
    main()
