"""The report of a rehearsal: shown to people, written as JSON, and compared with the database by tests."""

import msgspec

from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.crowd_ledger import TurnEntry
from crowdgame.rehearsal.own_load import OwnLoad
from crowdgame.rehearsal.samples import Samples, Spread
from voting.admission.seats import unverified_voter


class BallotTotals(msgspec.Struct, frozen=True):
    """Totals of ballots. `sent` counts choices, not resends.

    `lost` ones had no reply before their turn was over. Nor had `cut_off` ones, whose phones the crowd itself
    had disconnected. `missing` ones were acknowledged and are in no tally.
    """

    sent: int
    acknowledged: int
    refused: dict[str, int]
    lost: int
    cut_off: int
    missing: int


class RehearsalReport(msgspec.Struct, frozen=True):
    """The results of a rehearsal.

    `ledger`: turn id -> phone index -> (choice, sequence) as last acknowledged. `voters`: index of a joined
    phone -> voter id, as the seat token claims it. `teams`: phone index -> the team it joined.
    `side_changes`: phone index -> (turn number, team) of each acknowledged side change.

    `joined_in_s` runs from a phone's first dial to its welcome. `reconnected_in_s` runs from the loss of a
    connection to the next welcome. `ack_ms` runs from sending a ballot to its acknowledgment; if the crowd
    itself cut the phone off, from the next sending.

    `sealed_ms`, `resolved_ms` (counted and decided) and `reveal_ms` (received by a phone) are after the
    turn's deadline. `last_reveal_ms` is the last phone's, one value a turn.

    `closed` counts the close codes after which phones came back, `retries` the `retry.after` messages.
    `cpu_share` is the crowd's use of its core, `cpu_share_most` that of the busiest second. For `busy_s`
    seconds it was too high to trust the times.
    """

    code: str
    phones: int
    profile: str
    joined: int
    connected: int
    reconnects: int
    retries: int
    ballots: BallotTotals
    joined_in_s: Spread | None
    reconnected_in_s: Spread | None
    ack_ms: Spread | None
    sealed_ms: Spread | None
    resolved_ms: Spread | None
    reveal_ms: Spread | None
    last_reveal_ms: Spread | None
    unreadable: int
    errors: dict[str, int]
    closed: dict[str, int]
    away: dict[str, int]
    cpu_s: float
    cpu_share: float
    cpu_share_most: float
    busy_s: float
    turns: tuple[TurnEntry, ...]
    ledger: dict[int, dict[int, tuple[int, int]]]
    voters: dict[int, str]
    side_changes: dict[int, tuple[tuple[int, int], ...]] = {}
    teams: dict[int, int] = {}


def claimed_voters(context: RehearsalContext) -> dict[int, str]:
    """Return the voter ids of the phones that joined, by phone index. The signatures are not verified."""
    joined = sorted(context.tokens.keys() & context.teams.keys())
    return {index: unverified_voter(context.tokens[index]) for index in joined}


def build_report(context: RehearsalContext, phones: int, load: OwnLoad) -> RehearsalReport:
    book = context.ledger
    missing = book.count_missing(context.teams)
    turns = tuple(book.turns.values())
    computed = {
        "phones": phones,
        "ballots": msgspec.convert(vars(book) | {"missing": missing}, BallotTotals),
        "joined_in_s": book.join_ms.in_seconds(),
        "reconnected_in_s": book.back_ms.in_seconds(),
        "ack_ms": book.ack_ms.spread(),
        "sealed_ms": Samples(e.sealed_ms for e in turns if e.sealed_ms is not None).spread(),
        "resolved_ms": Samples(e.resolved_ms for e in turns if e.resolved_ms is not None).spread(),
        "reveal_ms": book.reveal_ms.spread(),
        "last_reveal_ms": Samples(entry.last_reveal_ms for entry in turns if entry.reveals_received).spread(),
        "cpu_s": round(load.cpu_s, 2),
        "cpu_share": round(load.mean, 3),
        "cpu_share_most": round(load.peak, 3),
        "busy_s": round(load.busy_s, 1),
        "turns": turns,
        "ledger": {entry.turn: entry.acknowledged for entry in turns},
        "voters": claimed_voters(context),
    }
    return msgspec.convert(vars(context) | vars(book) | computed, RehearsalReport)
