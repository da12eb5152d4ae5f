"""`python -m tests.load.bench.soak_crowd CODE URL PHONES EVERY_S`: a crowd that stays and reports.

A JSON line (`Told`) on its standard output every so often; SIGTERM ends it.
"""

import asyncio
import gc
import signal
import sys
import time
from random import Random

import msgspec
import uvloop

from crowdgame.rehearsal.address import Address
from crowdgame.rehearsal.crowd import Crowd, Plan, Progress
from crowdgame.rehearsal.hall import Hall
from crowdgame.rehearsal.ledger import Ledger
from crowdgame.rehearsal.samples import Samples, Spread
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address

GC_THRESHOLD = 50_000
TURNS_KEPT = 50


class Told(msgspec.Struct, frozen=True):
    """Counts from the beginning on; the times are of this report's span alone.

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

    def look(self, progress: Progress) -> None:
        if time.monotonic() < self._due:
            return
        self._due += self._every_s
        sys.stdout.buffer.write(msgspec.json.encode(_tell(progress.hall)) + b"\n")
        sys.stdout.buffer.flush()


def _tell(hall: Hall) -> Told:
    book = hall.ledger
    told = Told(
        connected=hall.connected,
        revealed=book.revealed,
        sent=book.sent,
        acknowledged=book.acknowledged,
        lost=book.lost,
        missing=book.compare(hall.teams),
        reconnects=book.reconnects,
        ack_ms=book.ack_ms.spread(),
        reveal_ms=book.reveal_ms.spread(),
    )
    book.ack_ms, book.reveal_ms = Samples(), Samples()
    return told


async def play(code: str, url: str, phones: int, every_s: float) -> None:
    hall = Hall(
        code=code,
        address=Address(phone_address(url)),
        profile="spread",
        clock=ServerClock(time.perf_counter),
        ledger=Ledger(TURNS_KEPT),
        rng=Random(1),
    )
    crowd = Crowd(Plan(phones, until_stopped=True), hall, Reporter(every_s).look)
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, crowd.stop)
    await crowd.play()


if __name__ == "__main__":
    uvloop.run(play(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
