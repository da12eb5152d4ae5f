"""Check each turn in the database against the phones' records and an independent count."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from runpy import run_path
from typing import Any, Literal, NamedTuple

import msgspec

from crowdgame.server.laptop.paths import ROOT
from tests.chaos.history import find_faults, find_lost
from tests.chaos.monitor import Journal
from tests.server import Server
from voting.records.match_record import PublishedSeal

# It shares no code with the product.
VERIFIER = run_path(str(ROOT / "docs" / "verify.py"))
SIDES = ("red", "yellow")
TURN = """
    SELECT t.id, m.event_id, t.state, t.seed, t.red_pick, t.yellow_pick, t.closes_at, t.sealed_at,
        t.resolved_at, m.tally_method, m.tie_rule, m.no_ballot_rule, t.seals
    FROM games_turn t JOIN games_match m ON m.id = t.match_id WHERE t.id = ?
"""
TALLIES = "SELECT side, counts, ballots, pick, sealed, root FROM voting_tallyrecord WHERE turn_id = ?"
ANNOUNCEMENTS = "SELECT seq, body FROM voting_announcement WHERE event_id = ? AND seq > ? ORDER BY seq"
MAX_LATE_MS = 400
Kind = Literal["lost", "duplicated", "wrong"]
#: Voter, side, column, sequence, arrival and blind.
Ballot = Sequence[Any]


class Turn(msgspec.Struct, array_like=True, frozen=True):
    id: int
    event: int
    state: str
    seed: str
    red_pick: int | None
    yellow_pick: int | None
    closes_at: int
    sealed_at: int | None
    resolved_at: int | None
    method: str
    tie: str
    without: str
    seals: str | None


class Tally(msgspec.Struct, array_like=True, frozen=True):
    side: Literal["red", "yellow"]
    counts: list[int]
    total: int
    pick: int | None
    ballots: list[Ballot]
    root: str


class Finding(NamedTuple):
    kind: Kind
    turn: int
    text: str


@dataclass
class AnnouncedTurns:
    """An event's announcements: the last `seq`, revealed turns in order, legal actions of each turn."""

    seq: int = 0
    revealed: list[int] = field(default_factory=list)
    legal: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    gaps: list[int] = field(default_factory=list)


@dataclass
class Audit:
    """`timed`: clocks may be set, so phones cannot judge lateness. `set_in`: turns in which one was set."""

    server: Server
    journal: Journal
    timed: bool = False
    set_in: set[int] = field(default_factory=set)
    announced: dict[int, AnnouncedTurns] = field(default_factory=dict)

    def check(self, turns: Iterable[int]) -> list[Finding]:
        self.journal.refresh()
        return [finding for turn in turns for finding in self._check(turn)]

    def acknowledged(self, turns: Iterable[int]) -> int:
        return sum(len(self.journal.acks.get(turn, {})) for turn in turns)

    def turn(self, turn: int) -> Turn:
        (row,) = self.server.rows(TURN, turn)
        return msgspec.convert(tuple(row), Turn)

    def tallies(self, turn: int) -> list[Tally]:
        rows = self.server.rows(TALLIES, turn)
        return [
            Tally(side, msgspec.json.decode(counts), total, pick, msgspec.msgpack.decode(packed), root)
            for side, counts, total, pick, packed, root in rows
        ]

    def _check(self, number: int) -> list[Finding]:
        turn, tallies = self.turn(number), self.tallies(number)
        announced = self._read_announcements(turn.event)
        found: dict[Kind, Iterable[str]] = {
            "lost": find_lost(self.journal.acks.get(number, {}), [b for t in tallies for b in t.ballots]),
            "duplicated": _find_duplicates(turn, tallies, announced),
            "wrong": self._find_wrong(turn, tallies, announced),
        }
        return [Finding(kind, number, text) for kind, texts in found.items() for text in texts]

    def _read_announcements(self, event: int) -> AnnouncedTurns:
        announced = self.announced.setdefault(event, AnnouncedTurns())
        for seq, body in self.server.rows(ANNOUNCEMENTS, event, announced.seq):
            if seq != announced.seq + 1:
                announced.gaps.append(seq)
            announced.seq = seq
            message = msgspec.json.decode(body)
            match = message["state"]["match"] or {}
            if message["type"] == "turn.revealed":
                announced.revealed.append(match["reveal"]["turn"])
            if live := match.get("turn"):
                announced.legal[live["id"]] = live["legal"]
        return announced

    def _find_wrong(self, turn: Turn, tallies: Sequence[Tally], announced: AnnouncedTurns) -> Iterable[str]:
        if turn.state != "resolved" or turn.sealed_at is None or turn.resolved_at is None:
            yield f"it is {turn.state}"
            return
        if turn.id not in self.set_in and not turn.closes_at <= turn.sealed_at <= turn.resolved_at:
            yield f"closes {turn.closes_at}, sealed {turn.sealed_at}, resolved {turn.resolved_at}"
        if announced.gaps or announced.revealed != sorted(announced.revealed):
            yield f"announced with gaps {announced.gaps}, or not in order"
        for tally in tallies:
            yield from self._find_wrong_counts(turn, tally, tallies, announced)
        yield from self._find_unsent(turn, tallies)
        yield from self._find_late(turn)
        seals = msgspec.json.decode(turn.seals or "[]", type=list[PublishedSeal])
        sides = {
            t.side: {"root": t.root, "ballots": t.total, "counts": t.counts, "pick": t.pick} for t in tallies
        }
        revealed = [turn.sealed_at, turn.resolved_at, turn.seed, sides.get("red"), sides.get("yellow")]
        yield from find_faults(seals, revealed, self.journal.received.get(turn.id, []))

    def _find_wrong_counts(
        self, turn: Turn, tally: Tally, tallies: Sequence[Tally], announced: AnnouncedTurns
    ) -> Iterable[str]:
        counted = Counter(ballot[2] for ballot in tally.ballots)
        if {column: n for column, n in enumerate(tally.counts, 1) if n} != counted:
            yield f"{tally.side} counts {tally.counts}, the list has {dict(counted)}"
        if tally.total != len(tally.ballots) or any(ballot[1] != tally.side for ballot in tally.ballots):
            yield f"{tally.side} has {tally.total} ballots, the list {len(tally.ballots)}"
        pick, root = recount(turn, tally, tallies, announced.legal.get(turn.id, {}).get(tally.side, []))
        made = turn.red_pick if tally.side == "red" else turn.yellow_pick
        if not pick == tally.pick == made:
            yield f"{tally.side} picked {made}, the tally says {tally.pick}, counted again it is {pick}"
        if tally.root and tally.root != root:
            yield f"{tally.side}'s root is not that of its list"

    def _find_unsent(self, turn: Turn, tallies: Sequence[Tally]) -> Iterable[str]:
        sent = self.journal.sent.get(turn.id, {})
        for tally in tallies:
            for voter, _, column, sequence, _, blind in tally.ballots:
                own = sent.get((voter, sequence))
                if own is None or (own.choice, own.blind) != (column, blind):
                    yield f"{voter} never sent the ballot {sequence} for column {column}"

    def _find_late(self, turn: Turn) -> Iterable[str]:
        if self.timed:
            return
        for voter, ack in self.journal.acks.get(turn.id, {}).items():
            sent = self.journal.sent.get(turn.id, {}).get((voter, ack.sequence))
            if sent and sent.at_ms > turn.closes_at + MAX_LATE_MS:
                yield f"{voter}'s ballot counts, and was sent {sent.at_ms - turn.closes_at:.0f} ms too late"


def recount(turn: Turn, tally: Tally, tallies: Sequence[Tally], legal: list[int]) -> tuple[int | None, str]:
    """The side's pick and the Merkle root of its ballots."""
    hashed = [(VERIFIER["hash_leaf"](f"{turn.id}:{b[1]}:{b[2]}:{b[5]}"), b) for b in tally.ballots]
    hashed.sort(key=lambda leaf: leaf[0])
    listed = [ballot for _, ballot in hashed]
    terms = {"tally_method": turn.method, "tie_rule": turn.tie, "no_ballot_rule": turn.without}
    roots = {str(of_side.side): of_side.root for of_side in tallies}
    mixed = VERIFIER["mix_seed"](turn.seed, None, *(roots.get(side, "") for side in SIDES))
    columns = [ballot[2] for ballot in listed]
    counter = VERIFIER["BallotCounter"](columns, len(tally.counts), terms, f"{mixed}:{tally.side}")
    counter.arrivals = sorted(range(len(listed)), key=lambda index: (listed[index][4], listed[index][0]))
    return counter.decide(legal)[0], VERIFIER["merkle_root"](leaf for leaf, _ in hashed)


def _find_duplicates(turn: Turn, tallies: Sequence[Tally], announced: AnnouncedTurns) -> Iterable[str]:
    sides = [tally.side for tally in tallies]
    voters = Counter(ballot[0] for tally in tallies for ballot in tally.ballots)
    if len(set(sides)) != len(sides) or not sides:
        yield f"it has tallies of {sides}"
    if announced.revealed.count(turn.id) != 1:
        yield f"it was revealed {announced.revealed.count(turn.id)} times"
    for voter, number in voters.items():
        if number > 1:
            yield f"{voter} has {number} ballots"
