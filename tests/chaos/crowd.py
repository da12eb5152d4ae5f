"""`python -m tests.chaos.crowd URL JOURNAL PHONES SEED CODE …`: PHONES simulated phones per event."""

import asyncio
import gc
import signal
import sys
import time
from pathlib import Path
from random import Random

import uvloop

from crowdgame.rehearsal.address import ServerAddress, resolve
from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.crowd_ledger import RehearsalLedger
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address
from tests.chaos.journal import JournalWriter
from tests.chaos.recording_phone import RecordingPhone
from tests.load.bench.machine import allow_files

TURNS_KEPT = 20
JOINS_A_SECOND = 250
POLL_S = 0.2
LEAVE_S = 0.5


def main(url: str, journal: Path, phones: int, seed: str, codes: list[str]) -> None:
    allow_files(2 * phones * len(codes))
    gc.freeze()
    gc.set_threshold(1_000_000)
    with journal.open("ab") as file, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_play(url, JournalWriter(file), phones, seed, codes))


async def _play(url: str, journal: JournalWriter, phones: int, seed: str, codes: list[str]) -> None:
    over = asyncio.Event()
    for ending in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(ending, over.set)
    address = await resolve(ServerAddress(phone_address(url)))
    contexts = [_context(code, address, f"{seed}:{code}") for code in codes]
    crowd = {
        context.code: [RecordingPhone(index, context, journal) for index in range(phones)]
        for context in contexts
    }
    joining = asyncio.create_task(
        _join_gradually([phone for row in zip(*crowd.values(), strict=True) for phone in row])
    )
    while not over.is_set():
        journal.crowd_state(
            time.monotonic(), {code: _read_crowd_state(crowd_phones) for code, crowd_phones in crowd.items()}
        )
        await asyncio.sleep(POLL_S)
    joining.cancel()
    for context in contexts:
        journal.totals(context.ledger.unreadable, sum(context.ledger.away.values()))
    for crowd_phones in crowd.values():
        for phone in crowd_phones:
            phone.leave()
    await asyncio.sleep(LEAVE_S)


def _context(code: str, address: ServerAddress, seed: str) -> RehearsalContext:
    clock = ServerClock(time.perf_counter)
    return RehearsalContext(code, address, "spread", clock, RehearsalLedger(TURNS_KEPT), Random(seed))


async def _join_gradually(phones: list[RecordingPhone]) -> None:
    for number, phone in enumerate(phones, 1):
        phone.connect()
        if number % 10 == 0:
            await asyncio.sleep(10 / JOINS_A_SECOND)


def _read_crowd_state(phones: list[RecordingPhone]) -> tuple[int, int]:
    return sum(phone.joined for phone in phones), min(phone.seq for phone in phones)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5:])
