"""What a rehearsal found, for people, for JSON, for a test that lays it beside the database."""

import time
from collections.abc import Iterable, Mapping

import msgspec

from voting.rehearsal.hall import Hall
from voting.rehearsal.ledger import TurnEntry
from voting.seats import claimed_voter


class Spread(msgspec.Struct, frozen=True):
    """Milliseconds."""

    p50: float
    p99: float
    max: float


class Ballots(msgspec.Struct, frozen=True):
    """`sent` counts choices, not repetitions; `lost` ones had no answer before their turn was over."""

    sent: int
    acknowledged: int
    refused: dict[str, int]
    lost: int


class Report(msgspec.Struct, frozen=True):
    """`ledger`: turn id -> phone index -> [column, sequence] as last acknowledged.

    `voters`: phone index -> voter id, for seats whose token this server's key opens. `ack_ms` runs
    from the first sending of a ballot to its ack, `resolved_ms` from a turn's deadline to its resolution
    (sealed, counted, decided), `reveal_ms` from the deadline to each phone's
    receipt of the reveal, `last_told_ms` to the last phone's, one value a turn.
    """

    code: str
    phones: int
    joined: int
    connected: int
    reconnects: int
    ballots: Ballots
    ack_ms: Spread | None
    resolved_ms: Spread | None
    reveal_ms: Spread | None
    last_told_ms: Spread | None
    unreadable: int
    errors: dict[str, int]
    away: dict[str, int]
    cpu_s: float
    turns: tuple[TurnEntry, ...]
    ledger: dict[int, dict[int, tuple[int, int]]]
    voters: dict[int, str]


def spread_of(samples: Iterable[float]) -> Spread | None:
    """Nearest-rank percentiles; None without samples."""
    ranked = sorted(samples)
    if not ranked:
        return None
    p50, p99 = (ranked[min(len(ranked) - 1, len(ranked) * p // 100)] for p in (50, 99))
    return Spread(round(p50, 1), round(p99, 1), round(ranked[-1], 1))


def voters_of(tokens: Mapping[int, str]) -> dict[int, str]:
    return {index: claimed_voter(token) for index, token in sorted(tokens.items())}


def report_of(hall: Hall, phones: int) -> Report:
    book = hall.ledger
    turns = tuple(book.turns.values())
    return Report(
        code=hall.code,
        phones=phones,
        joined=book.joined,
        connected=hall.connected,
        reconnects=book.reconnects,
        ballots=Ballots(book.sent, book.acknowledged, dict(book.refused), book.lost),
        ack_ms=spread_of(book.ack_ms),
        resolved_ms=spread_of(e.resolved_ms for e in turns if e.resolved_ms is not None),
        reveal_ms=spread_of(book.reveal_ms),
        last_told_ms=spread_of(entry.told_last_ms for entry in turns if entry.told),
        unreadable=book.unreadable,
        errors=dict(book.errors),
        away=dict(book.away),
        cpu_s=round(time.process_time(), 2),
        turns=turns,
        ledger={entry.turn: entry.acknowledged for entry in turns},
        voters=voters_of(hall.tokens),
    )
