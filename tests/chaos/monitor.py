"""Monitor a campaign by the phones' records and the database: open turns, and whether phones recovered."""

import sqlite3
import threading
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import psycopg
from redis import Redis, RedisError

from tests.chaos.target import Target

POLL_S = 0.1
DELIVERED_WITHIN_S = 0.7
OVERDUE_MS = 1_000
BOX_TIMEOUT_S = 0.3
TURNS = "SELECT id, state, closes_at FROM games_turn WHERE id > ? ORDER BY id"
ID_OVERLAP = 50
ENDED = ("resolved", "void")


class Sent(NamedTuple):
    """A choice as its phone first sent it."""

    at_ms: float
    choice: int
    blind: str


class Acknowledgement(NamedTuple):
    at_ms: float
    choice: int
    sequence: int


class CrowdState(NamedTuple):
    """The state of each event's phones: how many are connected, and their lowest `seq`."""

    at_s: float
    events: Mapping[str, tuple[int, int]]


@dataclass
class Journal:
    """The phones' records by turn and voter, one JSON array per line. `refresh` reads new lines.

    Times are milliseconds of the ballot box's clock as the phones estimate it. Only `crowd_state` lines use
    seconds of this machine's monotonic clock, which all processes share.

    `unexpected`, known at the end: unreadable frames plus phones rejected for good.
    """

    path: Path
    sent: dict[int, dict[tuple[str, int], Sent]] = field(default_factory=dict)
    acks: dict[int, dict[str, Acknowledgement]] = field(default_factory=dict)
    received: dict[int, list[list[Any]]] = field(default_factory=dict)
    crowd_states: list[CrowdState] = field(default_factory=list)
    unexpected: int = 0
    _read: int = 0

    def refresh(self) -> None:
        with self.path.open("rb") as file:
            file.seek(self._read)
            text = file.read()
        complete = text[: text.rfind(b"\n") + 1]
        self._read += len(complete)
        for line in complete.splitlines():
            self.add(msgspec.json.decode(line))

    def add(self, record: list[Any]) -> None:
        """Add a record of a phone or a chat. Idempotent for ballots."""
        match record:
            case ["sent", at, voter, turn, choice, sequence, blind]:
                self.sent.setdefault(turn, {}).setdefault((voter, sequence), Sent(at, choice, blind))
            case ["ack", at, voter, turn, choice, sequence]:
                known = self.acks.setdefault(turn, {})
                # The newest counts; after a box is lost, an acknowledgement may arrive twice.
                if voter not in known or known[voter].sequence < sequence:
                    known[voter] = Acknowledgement(at, choice, sequence)
            case ["sealed" | "revealed" | "received" | "change" | "receipt" as kind, turn, *rest]:
                self.received.setdefault(turn, []).append([kind, *rest])
            case ["unexpected", number]:
                self.unexpected += number
            case ["crowd_state", at_s, events]:
                states = {code: (here, seq) for code, (here, seq) in events.items()}
                self.crowd_states.append(CrowdState(at_s, states))
            case _:
                raise ValueError(record)


@dataclass
class Seen:
    """When a turn was first observed, and first observed as over."""

    first: float
    over: float | None = None


class Sample(NamedTuple):
    at: float
    seqs: dict[str, int]
    overdue: bool


@dataclass
class Monitor:
    """Times are seconds of the monotonic clock. `phones` is how many each event has."""

    target: Target
    journal: Journal
    phones: int
    turns: dict[int, Seen] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    _done_up_to: int = 0
    _box_ahead_ms: float = 0.0
    _stopped: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def running(self) -> Iterator[None]:
        thread = threading.Thread(target=self._run, name="monitor", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            thread.join(10)

    def _run(self) -> None:
        timeouts = {"socket_timeout": BOX_TIMEOUT_S, "socket_connect_timeout": BOX_TIMEOUT_S}
        with closing(Redis.from_url(self.target.valkey, **timeouts)) as box:
            while not self._stopped.wait(POLL_S):
                with suppress(sqlite3.Error, psycopg.Error):  # the fault affects the database
                    self._take_sample(box)

    def _take_sample(self, box: "Redis") -> None:
        with suppress(RedisError):  # it keeps the last known offset
            seconds, micros = box.time()
            self._box_ahead_ms = seconds * 1000 + micros / 1000 - time.monotonic() * 1000
        at = time.monotonic()
        seqs = dict(self.target.rows("SELECT code, seq FROM games_event"))
        now = at * 1000 + self._box_ahead_ms
        overdue = False
        for turn, state, closes_at in self.target.rows(TURNS, self._done_up_to):
            seen = self.turns.setdefault(turn, Seen(at))
            if state in ENDED and seen.over is None:
                seen.over = at
            overdue = overdue or (state == "open" and closes_at + OVERDUE_MS < now)
        self.samples.append(Sample(at, seqs, overdue))
        still = [turn for turn, seen in self.turns.items() if seen.over is None]
        self._done_up_to = min(still, default=max(self.turns, default=0)) - ID_OVERLAP

    def live(self, began: float, until: float) -> set[int]:
        turns = list(self.turns.items())
        return {turn for turn, seen in turns if seen.first <= until and (seen.over or began) >= began}

    def over(self) -> set[int]:
        return {turn for turn, seen in list(self.turns.items()) if seen.over is not None}

    def unhealthy_times(self, since: float) -> list[float]:
        """The times at which a phone was disconnected or behind, or a turn was overdue."""
        self.journal.refresh()
        states = self.journal.crowd_states
        states = states[bisect_left(states, since, key=attrgetter("at_s")) :]
        return [state.at_s for state in states if not self._is_healthy(state)]

    def _is_healthy(self, crowd_state: CrowdState) -> bool:
        should = self._sample_at(crowd_state.at_s - DELIVERED_WITHIN_S)
        now = self._sample_at(crowd_state.at_s)
        if should is None or now is None or now.overdue or crowd_state.at_s - now.at > 1.0:
            return False
        return all(
            here == self.phones and seq >= should.seqs.get(code, 0)
            for code, (here, seq) in crowd_state.events.items()
        )

    def _sample_at(self, at: float) -> Sample | None:
        place = bisect_right(self.samples, at, key=lambda sample: sample.at)
        return self.samples[place - 1] if place else None
