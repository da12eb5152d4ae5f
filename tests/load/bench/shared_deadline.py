"""`python -m tests.load.bench.shared_deadline`: many events whose turns all end at the same time.

Phones are bare sockets that vote once. Each row gives the slowest turn and the slowest phone, in milliseconds
after the deadline.
"""

import asyncio
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import msgspec

from tests.load.bench.connection import Connection, close_all, open_connections
from tests.load.bench.machine import allow_files
from tests.server import SERVERS, Server, running_server

WINDOW_S = 600
VOTE_S, SPARE_S, SPARE_S_PER_EVENT = 6.0, 2.0, 0.1
WITHIN_S = 60.0
SPARE_FILES = 2_000
SEALED, REVEALED, COUNTED = b'{"type":"turn.sealed"', b'{"type":"turn.revealed"', b'{"type":"ballot.counted"'


class SharedDeadline(msgspec.Struct, frozen=True):
    """One run. Times are the latest of all, in milliseconds after the deadline.

    `seals` is the most `turn.sealed` messages that a phone received for its turn. `seals_first` tells whether
    all phones received one before the reveal.
    """

    server: str
    events: int
    phones: int
    resolved_ms: float
    revealed_ms: float
    seals: int
    seals_first: bool


class Audience:
    """The phones of one event, and what they received."""

    def __init__(self, code: str, turn: int) -> None:
        self.code, self.turn = code, turn
        self.phones: list[Connection] = []
        self.seals: dict[Connection, int] = {}
        self.revealed: dict[Connection, bool] = {}
        self.counted = 0
        self.last_reveal = 0.0
        self.is_complete = asyncio.Event()

    async def join(self, port: int, count: int) -> None:
        self.phones = await open_connections(port, "/ws/phone", self._receive, count)
        hello = msgspec.json.encode({"type": "phone.join", "code": self.code, "team": None})
        for number, phone in enumerate(self.phones):
            phone.say(hello.replace(b"null", b"%d" % (1 + number % 2)))

    def vote(self, phone: Connection) -> None:
        ballot = {"type": "ballot.cast", "turn": self.turn, "epoch": 1, "choice": 4, "sequence": 1}
        phone.say(msgspec.json.encode(ballot))

    def _receive(self, phone: Connection, text: bytes) -> None:
        if text.startswith(SEALED):
            self.seals[phone] = self.seals.get(phone, 0) + 1
        elif text.startswith(COUNTED):
            self.counted += 1
        elif text.startswith(REVEALED) and phone not in self.revealed:
            self.revealed[phone] = phone in self.seals
            self.last_reveal = time.time()
            if len(self.revealed) == len(self.phones):
                self.is_complete.set()


async def measure(server: Server, events: int, phones: int) -> SharedDeadline:
    """Play one turn of `events` events with `phones` phones each."""
    made = [
        await _ask(server, "event", window_s=WINDOW_S, lobby="open", team_choice="choose")
        for _ in range(events)
    ]
    turns = [await _ask(server, "play_to", event_id=one["id"], picks=[]) for one in made]
    audiences = [Audience(one["code"], turn) for one, turn in zip(made, turns, strict=True)]
    for audience in audiences:
        await audience.join(server.stack.port, phones)
    voters = [(audience, phone) for audience in audiences for phone in audience.phones]
    left_s = VOTE_S + SPARE_S + SPARE_S_PER_EVENT * events
    ids = [one["id"] for one in made]
    deadline = await _ask(server, "close_together", event_ids=ids, ms=int(left_s * 1000))
    for number, (audience, phone) in enumerate(voters, 1):
        audience.vote(phone)
        await asyncio.sleep(VOTE_S / len(voters) if number % 10 == 0 else 0)
    async with asyncio.timeout(WITHIN_S):
        for audience in audiences:
            await audience.is_complete.wait()
    counted = sum(audience.counted for audience in audiences)
    assert counted == len(voters), f"only {counted} of {len(voters)} ballots were counted"
    marks = ",".join("?" * len(turns))
    rows = server.rows(f"SELECT resolved_at FROM games_turn WHERE id IN ({marks})", *turns)  # noqa: S608
    for audience in audiences:
        close_all(audience.phones)
    return SharedDeadline(
        server=server.stack.server,
        events=events,
        phones=phones,
        resolved_ms=max(at for (at,) in rows) - deadline,
        revealed_ms=max(audience.last_reveal for audience in audiences) * 1000 - deadline,
        seals=max(seals for audience in audiences for seals in audience.seals.values()),
        seals_first=all(first for audience in audiences for first in audience.revealed.values()),
    )


async def _ask(server: Server, operation: str, **arguments: Any) -> Any:
    return await asyncio.to_thread(server.ask, operation, **arguments)


def main() -> None:
    parser = ArgumentParser(prog="python -m tests.load.bench.shared_deadline", description=__doc__)
    parser.add_argument("--events", type=int, nargs="+", default=[20, 100, 300])
    parser.add_argument("--phones", type=int, default=20, help="for each event")
    parser.add_argument("--server", choices=SERVERS, default=SERVERS[0])
    options = parser.parse_args()
    allow_files(max(options.events) * options.phones + SPARE_FILES)
    with (
        tempfile.TemporaryDirectory(prefix="crowdgame-bench-") as home,
        running_server(Path(home), options.server, gateways=2) as server,
    ):
        for events in options.events:
            found = asyncio.run(measure(server, events, options.phones))
            sys.stdout.write(msgspec.json.encode(found).decode() + "\n")


if __name__ == "__main__":
    main()
