"""`python -m tests.load.bench.soak_crowd CODE URL PHONES EVERY_S`: a crowd that stays and reports.

It prints a JSON line (`CrowdCounts`) at regular intervals; SIGTERM ends it.
"""

import asyncio
import gc
import signal
import sys
import time
from random import Random

import msgspec
import uvloop

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.crowd import Crowd, CrowdPlan, CrowdProgress
from crowdgame.rehearsal.crowd_ledger import RehearsalLedger
from crowdgame.rehearsal.samples import Samples, Spread
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address

GC_THRESHOLD = 50_000
TURNS_KEPT = 50


class CrowdCounts(msgspec.Struct, frozen=True):
    """Counts since the start; the times cover only the span of this report.

    `missing` ballots were acknowledged and are in no tally of the last TURNS_KEPT turns.
    """

    connected: int
    revealed: int
    sent: int
    acknowledged: int
    lost: int
    missing: int
    reconnects: int
    ack_ms: Spread | None
    reveal_ms: Spread | None


class Reporter:
    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._due = time.monotonic() + every_s

    def report_progress(self, progress: CrowdProgress) -> None:
        if time.monotonic() < self._due:
            return
        self._due += self._every_s
        sys.stdout.buffer.write(msgspec.json.encode(_read_counts(progress.context)) + b"\n")
        sys.stdout.buffer.flush()


def _read_counts(context: RehearsalContext) -> CrowdCounts:
    book = context.ledger
    counts = CrowdCounts(
        connected=context.connected,
        revealed=book.revealed,
        sent=book.sent,
        acknowledged=book.acknowledged,
        lost=book.lost,
        missing=book.count_missing(context.teams),
        reconnects=book.reconnects,
        ack_ms=book.ack_ms.spread(),
        reveal_ms=book.reveal_ms.spread(),
    )
    book.ack_ms, book.reveal_ms = Samples(), Samples()
    return counts


async def play(code: str, url: str, phones: int, every_s: float) -> None:
    context = RehearsalContext(
        code=code,
        address=ServerAddress(phone_address(url)),
        profile="spread",
        clock=ServerClock(time.perf_counter),
        ledger=RehearsalLedger(TURNS_KEPT),
        rng=Random(1),
    )
    crowd = Crowd(CrowdPlan(phones, until_stopped=True), context, Reporter(every_s).report_progress)
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, crowd.stop)
    await crowd.play()


if __name__ == "__main__":
    uvloop.run(play(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
