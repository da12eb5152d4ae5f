"""The crowd's own book of what the server acknowledged, to be laid beside the server's."""

from collections import Counter, deque
from dataclasses import dataclass, field

import msgspec

from voting.protocol import BallotCounted, Reveal

SAMPLES_KEPT = 200_000


class TurnEntry(msgspec.Struct):
    """`acknowledged`: the last [column, sequence] counted of each phone, by its index.

    `tallied` is what the reveal says; it is None before it and for a turn that never was revealed.
    It was sealed and resolved `resolved_ms` after the deadline; `told` phones have heard the reveal, the
    last of them `told_last_ms` after the deadline.
    """

    turn: int
    number: int
    acknowledged: dict[int, tuple[int, int]] = {}
    tallied: int | None = None
    lost: int = 0
    told: int = 0
    told_last_ms: float = 0.0
    resolved_ms: float | None = None


@dataclass
class Ledger:
    """`turns_kept` bounds the book of a crowd that plays for ever."""

    turns_kept: int | None = None
    turns: dict[int, TurnEntry] = field(default_factory=dict)
    revealed: int = 0
    joined: int = 0
    reconnects: int = 0
    unreadable: int = 0
    sent: int = 0
    acknowledged: int = 0
    lost: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    away: Counter[str] = field(default_factory=Counter)
    ack_ms: deque[float] = field(default_factory=lambda: deque(maxlen=SAMPLES_KEPT))
    reveal_ms: deque[float] = field(default_factory=lambda: deque(maxlen=SAMPLES_KEPT))

    def turn(self, turn: int, number: int = 0) -> TurnEntry:
        entry = self.turns.setdefault(turn, TurnEntry(turn, number))
        entry.number = entry.number or number
        if self.turns_kept is not None and len(self.turns) > self.turns_kept:
            del self.turns[next(iter(self.turns))]
        return entry

    def count_ballot(self, phone: int, counted: BallotCounted) -> None:
        held = self.turn(counted.turn).acknowledged
        if counted.sequence > held.get(phone, (0, 0))[1]:
            held[phone] = (counted.column, counted.sequence)
            self.acknowledged += 1

    def lose_ballot(self, turn: int) -> None:
        """A ballot that was neither counted nor refused before its turn was over."""
        self.lost += 1
        self.turn(turn).lost += 1

    def tell(self, reveal: Reveal, closes_at: int, heard_at: float) -> None:
        """A phone heard the reveal of the turn whose deadline it knew."""
        entry = self.turn(reveal.turn)
        late_ms = heard_at - closes_at
        entry.resolved_ms = reveal.resolved_at - closes_at
        entry.told += 1
        entry.told_last_ms = max(entry.told_last_ms, late_ms)
        self.reveal_ms.append(late_ms)

    def reveal(self, reveal: Reveal) -> bool:
        """Whether this is the first that the crowd hears of it."""
        entry = self.turn(reveal.turn, reveal.number)
        if entry.tallied is not None:
            return False
        entry.tallied = sum(tally.ballots for tally in (reveal.red, reveal.yellow) if tally)
        self.revealed += 1
        return True
