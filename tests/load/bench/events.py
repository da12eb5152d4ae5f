"""Many events on one server: turns that all end at the same time, and a small event beside a large one.

Phones are bare sockets. A phone of a turn votes once.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from tests.load.bench.connection import Connection, close_all, open_connections
from tests.load.bench.report import MS, Results
from tests.server import Server
from voting.protocol import BallotCast, PhoneJoin

WINDOW_S = 600
VOTE_S, SPARE_S, SPARE_S_PER_EVENT = 6.0, 2.0, 0.1
WITHIN_S = 60.0
JOINING_AT_ONCE = 500
CHANGES = 3
SEALED, REVEALED, EDITED = b'{"type":"turn.sealed"', b'{"type":"turn.revealed"', b'{"type":"event.edited"'
COUNTED, REFUSED = b'{"type":"ballot.counted"', b'{"type":"ballot.refused"'


class Audience:
    """The phones of one event.

    `received_at` is when each received the first frame that starts with `waits_for`.
    """

    def __init__(self, event: dict[str, Any]) -> None:
        self.id, self.code = event["id"], event["code"]
        self.phones: list[Connection] = []
        self.seals: dict[Connection, int] = {}
        self.without_seal = 0
        self.counted = 0
        self.refused = Counter[bytes]()
        self.await_frames(b'{"type":"phone.welcomed"')

    async def join(self, port: int, count: int) -> None:
        """Let phones join in groups. Bare sockets do not retry if the gateway is full."""
        while len(self.phones) < count:
            batch = min(JOINING_AT_ONCE, count - len(self.phones))
            joining = await open_connections(port, "/ws/phone", self._receive, batch)
            self.phones += joining
            self._complete.clear()
            for number, phone in enumerate(joining):
                phone.say(msgspec.json.encode(PhoneJoin(code=self.code, team=1 + number % 2)))
            await self.complete()

    def await_frames(self, start: bytes) -> None:
        self.waits_for, self.received_at = start, dict[Connection, float]()
        self._complete = asyncio.Event()

    async def complete(self) -> float:
        """Wait until every phone has received what it waits for. Returns the time of the last (Unix ms)."""
        async with asyncio.timeout(WITHIN_S):
            await self._complete.wait()
        return max(self.received_at.values()) * 1000

    def _receive(self, phone: Connection, text: bytes) -> None:
        if text.startswith(SEALED):
            self.seals[phone] = self.seals.get(phone, 0) + 1
        elif text.startswith(COUNTED):
            self.counted += 1
        elif text.startswith(REFUSED):
            self.refused[text] += 1
        if text.startswith(self.waits_for) and phone not in self.received_at:
            self.received_at[phone] = time.time()
            self.without_seal += phone not in self.seals
            if len(self.received_at) == len(self.phones):
                self._complete.set()


async def measure_shared_deadline(server: Server, events: int, phones: int, results: Results) -> None:
    """A turn in each of `events` events with `phones` phones each. Times are the latest of all."""
    audiences = [await _new_audience(server, phones) for _ in range(events)]
    turns = [await _ask(server, "play_to", event_id=audience.id, picks=[]) for audience in audiences]
    left_s = VOTE_S + SPARE_S + SPARE_S_PER_EVENT * events
    ids = [audience.id for audience in audiences]
    deadline = await _ask(server, "close_together", event_ids=ids, ms=int(left_s * 1000))
    for audience in audiences:
        audience.without_seal = 0
        audience.await_frames(REVEALED)
    await _vote(audiences, turns)
    revealed_ms = max([await audience.complete() for audience in audiences])
    counted = sum(audience.counted for audience in audiences)
    refused = sum((audience.refused for audience in audiences), Counter[bytes]())
    assert counted == events * phones, f"only {counted} of {events * phones} ballots were counted: {refused}"
    marks = ",".join("?" * events)
    rows = server.rows(f"SELECT resolved_at FROM games_turn WHERE id IN ({marks})", *turns)  # noqa: S608
    _end(audiences)
    add = partial(results.add, server.stack.server)
    named = f"{events} event(s) of {phones:,} phones with one deadline, "
    goal = {20: "≤ 80 ms", 100: "≤ 200 ms", 300: "≤ 500 ms"}.get(events, "")
    add(f"{named}last resolved", max(at for (at,) in rows) - deadline, MS, goal=goal)
    add(f"{named}last received reveal", revealed_ms - deadline, MS)
    most_seals = max(seals for audience in audiences for seals in audience.seals.values())
    add(f"{named}seals per phone", most_seals, goal="≤ 1")
    without_seal = sum(audience.without_seal for audience in audiences)
    add(f"{named}phones without a seal before the reveal", without_seal, goal="≤ 0")


async def measure_small_event(server: Server, phones: int, results: Results) -> None:
    """How late a small event receives a change, announced after CHANGES of an event with `phones` phones."""
    large, small = await _new_audience(server, phones), await _new_audience(server, 1)
    for audience in (large, small):
        audience.await_frames(EDITED)
    announced = await _ask(server, "announce_edits", event_ids=[large.id] * CHANGES + [small.id])
    received = await small.complete()
    await large.complete()
    _end([large, small])
    what = f"a small event's change behind three of a {phones:,}-phone event"
    results.add(server.stack.server, what, received - announced, MS, goal="≤ 300 ms")


async def _new_audience(server: Server, phones: int) -> Audience:
    choices = {"window_s": WINDOW_S, "lobby": "open", "team_choice": "choose"}
    audience = Audience(await _ask(server, "event", **choices))
    await audience.join(server.stack.port, phones)
    return audience


async def _vote(audiences: Sequence[Audience], turns: Sequence[int]) -> None:
    pairs = zip(turns, audiences, strict=True)
    voters = [(turn, phone) for turn, audience in pairs for phone in audience.phones]
    began = time.monotonic()
    for number, (turn, phone) in enumerate(voters):
        phone.say(msgspec.json.encode(BallotCast(turn=turn, epoch=1, choice=4, sequence=1)))
        await asyncio.sleep(max(0, began + VOTE_S * number / len(voters) - time.monotonic()))


def _end(audiences: Sequence[Audience]) -> None:
    for audience in audiences:
        close_all(audience.phones)


async def _ask(server: Server, operation: str, **arguments: Any) -> Any:
    return await asyncio.to_thread(server.ask, operation, **arguments)
