"""The phones' records: one JSON array per line, written by the crowd's process and read meanwhile.

Times are milliseconds of the ballot box's clock as the phones estimate it. Only `crowd_state` lines use
seconds of this machine's monotonic clock, which all processes share.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec


class Sent(NamedTuple):
    """A choice as its phone first sent it."""

    at_ms: float
    choice: int
    blind: str


class Acknowledgement(NamedTuple):
    """A ballot that was acknowledged to its phone."""

    at_ms: float
    choice: int
    sequence: int


class CrowdState(NamedTuple):
    """The state of each event's phones: how many are connected, and their lowest `seq`."""

    at_s: float
    events: Mapping[str, tuple[int, int]]


@dataclass
class Journal:
    """The records by turn and voter; `refresh` reads new lines.

    `unexpected`, known at the end: unreadable frames plus phones rejected for good.
    """

    path: Path
    sent: dict[int, dict[tuple[str, int], Sent]] = field(default_factory=dict)
    acks: dict[int, dict[str, Acknowledgement]] = field(default_factory=dict)
    sealed: dict[int, list[Any]] = field(default_factory=dict)
    crowd_states: list[CrowdState] = field(default_factory=list)
    unexpected: int = 0
    _read: int = 0

    def refresh(self) -> None:
        with self.path.open("rb") as file:
            file.seek(self._read)
            text = file.read()
        complete = text[: text.rfind(b"\n") + 1]
        self._read += len(complete)
        self.add(map(msgspec.json.decode, complete.splitlines()))

    def states_since(self, at: float) -> list[CrowdState]:
        return self.crowd_states[bisect_left(self.crowd_states, at, key=attrgetter("at_s")) :]

    def add(self, records: Iterable[list[Any]]) -> None:
        """Add records of phones or others. Idempotent for ballots."""
        for record in records:
            self._add(record)

    def _add(self, record: list[Any]) -> None:
        match record:
            case ["sent", at, voter, turn, choice, sequence, blind]:
                self.sent.setdefault(turn, {}).setdefault((voter, sequence), Sent(at, choice, blind))
            case ["ack", at, voter, turn, choice, sequence]:
                known = self.acks.setdefault(turn, {})
                # The newest counts; after a box is lost, an acknowledgement may arrive twice.
                if voter not in known or known[voter].sequence < sequence:
                    known[voter] = Acknowledgement(at, choice, sequence)
            case ["sealed", turn, at, red, yellow]:
                self.sealed.setdefault(turn, []).append((at, red, yellow))
            case ["unexpected", number]:
                self.unexpected += number
            case ["crowd_state", at_s, events]:
                states = {code: (here, seq) for code, (here, seq) in events.items()}
                self.crowd_states.append(CrowdState(at_s, states))
            case _:
                raise ValueError(record)
