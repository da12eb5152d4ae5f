"""`python -m tests.chaos.crowd URL JOURNAL PHONES SEED CODE …`: PHONES simulated phones per event.

Each phone records what it sent and what was acknowledged. Sometimes it votes at the deadline, so that ballots
are in flight when the turn is sealed.
"""

import asyncio
import gc
import signal
import sys
import time
from pathlib import Path
from random import Random
from typing import IO, Any

import msgspec
import uvloop
from msgspec.structs import replace

from crowdgame.rehearsal.address import ServerAddress, resolve
from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.crowd_ledger import RehearsalLedger
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.simulated_phone import Phone
from crowdgame.rehearsal.wire import phone_address
from tests.load.bench.machine import allow_files
from voting import protocol
from voting.admission.seats import unverified_voter

POLL_S = 0.2
LATE_SHARE, REVOTE_SHARE = 0.15, 0.4
EARLIEST_MS, LATEST_MS = -80.0, 700.0


class JournalWriter:
    """Writes the lines that `tests.chaos.monitor` reads."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._written: set[tuple[Any, ...]] = set()

    def write(self, *line: Any) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")

    def write_once(self, *line: Any) -> None:
        """Write a line that many phones would write alike."""
        if line not in self._written:
            self._written.add(line)
            self.write(*line)

    def write_crowd_state(self, crowd: dict[str, list["RecordingPhone"]]) -> None:
        """How many phones of each event are connected, and the lowest sequence number they have received."""
        states = {
            code: (sum(phone.joined for phone in phones), min(phone._seq for phone in phones))
            for code, phones in crowd.items()
        }
        self.write("crowd_state", time.monotonic(), states)
        self._file.flush()


class RecordingPhone(Phone):
    def __init__(self, index: int, context: RehearsalContext, journal: JournalWriter) -> None:
        super().__init__(index, context)
        self._journal = journal
        self._blinds: dict[tuple[int, int], str] = {}
        self._watched: tuple[int, int] | None = None
        self._late: asyncio.TimerHandle | None = None
        self._received: dict[int, tuple[Any, ...]] = {}  # of each turn, on this connection

    def receive(self, message: protocol.ToPhone) -> None:
        before = self._seq
        super().receive(message)
        match message:
            case protocol.BallotCounted():
                self._write_ballot("ack", message.turn, message.choice, message.sequence)
            case protocol.PhoneWelcomed():
                you = message.you
                if you.turn is not None and you.choice is not None:
                    self._write_ballot("ack", you.turn, you.choice, you.sequence)
                self._plan_late_ballot()
                self._received = {}
                self._write_reveal(message.state.match)
            case protocol.Change():
                self._plan_late_ballot()
                turn = self._write_reveal(message.state.match)
                self._journal.write_once("change", turn, before, message.seq)
                self._write_order(turn, message)
            case protocol.TurnSealed():
                seal = (message.at, message.epoch, message.red, message.yellow)
                self._journal.write_once("sealed", message.turn, *seal)
                self._write_order(message.turn, message)
            case protocol.TeamCounted() if self._state and not self._state.own_counts:
                self._write_order(message.turn, message)
            case protocol.ReceiptIssued():
                self._journal.write_once("receipt", message.turn)

    def _cast(self, ballot: protocol.BallotCast) -> bool:
        """Use one blinding factor per choice, also when it is sent again."""
        key = (ballot.turn, ballot.sequence)
        if key not in self._blinds:
            if len(self._blinds) > 8:
                self._blinds.clear()
            self._blinds[key] = ballot.blind or f"{self._context.rng.getrandbits(128):032x}"
        ballot = replace(ballot, blind=self._blinds[key])
        sent = super()._cast(ballot)
        if sent:
            self._write_ballot("sent", ballot.turn, ballot.choice, ballot.sequence, ballot.blind)
        return sent

    def _write_ballot(self, kind: str, *ballot: Any) -> None:
        voter = unverified_voter(self._context.tokens[self.index])
        self._journal.write(kind, self._context.clock.now_ms(), voter, *ballot)

    def _write_reveal(self, match: protocol.Match | None) -> int:
        """Write the reveal, which each state repeats, and return its turn, else the first of the match."""
        if match is None or (shown := match.reveal) is None:
            return match.turn.id if match and match.turn else 0
        said = (shown.sealed_at, shown.resolved_at, shown.seed, shown.red, shown.yellow)
        self._journal.write_once("revealed", shown.turn, *said)
        return shown.turn

    def _write_order(self, turn: int, message: protocol.ToPhone) -> None:
        last = (message.__struct_config__.tag, getattr(message, "at", 0))
        self._received[turn] = (*self._received.get(turn, ()), last)
        self._journal.write_once("received", turn, self._received[turn])

    def _plan_late_ballot(self) -> None:
        """Plan at most one late ballot per window; after an extension many phones vote again."""
        turn, before = self._context.turn, self._watched
        watched = (turn.id, turn.closes_at) if turn and not turn.paused else None
        if watched == before:
            return
        self._watched = watched
        if self._late:
            self._late.cancel()
        if turn is None or watched is None:
            return
        rng, now = self._context.rng, self._context.clock.now_ms()
        if before and before[0] == turn.id and turn.closes_at > now and rng.random() < REVOTE_SHARE:
            self._vote_at(rng.uniform(now, turn.closes_at), turn.id)
        elif rng.random() < LATE_SHARE:
            self._vote_at(turn.closes_at + rng.uniform(EARLIEST_MS, LATEST_MS), turn.id)

    def _vote_at(self, at_ms: float, turn: int) -> None:
        loop = asyncio.get_running_loop()
        self._late = loop.call_later(max(0.0, self._context.clock.until(at_ms)), self._voter._vote, turn)


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
    crowd, contexts = dict[str, list[RecordingPhone]](), list[RehearsalContext]()
    for code in codes:
        clock, ledger = ServerClock(time.perf_counter), RehearsalLedger(20)
        context = RehearsalContext(code, address, "spread", clock, ledger, Random(f"{seed}:{code}"))
        contexts.append(context)
        crowd[code] = [RecordingPhone(index, context, journal) for index in range(phones)]
    everybody = [phone for row in zip(*crowd.values(), strict=True) for phone in row]
    joining = asyncio.create_task(_join_gradually(everybody))
    while not over.is_set():
        journal.write_crowd_state(crowd)
        await asyncio.sleep(POLL_S)
    joining.cancel()
    for context in contexts:
        journal.write("unexpected", context.ledger.unreadable + sum(context.ledger.away.values()))
    for phone in everybody:
        phone.leave()
    await asyncio.sleep(0.5)


async def _join_gradually(phones: list[RecordingPhone]) -> None:
    for number, phone in enumerate(phones, 1):
        phone.connect()
        if number % 10 == 0:
            await asyncio.sleep(0.04)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5:])
