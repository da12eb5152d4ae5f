"""The crowd's own book of what the server acknowledged, to be laid beside the server's."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from crowdgame.rehearsal.samples import Samples
from games.engine.game import SIDES
from voting.counting.choices import decode_columns
from voting.protocol import BallotCounted, Match, Reveal


class TurnEntry(msgspec.Struct):
    """`acknowledged`: the last [column, sequence] counted of each phone, by its index; `blinds` its secret.

    `open` are phones whose newest choice was not acknowledged. `tallies` (a team's counts a column),
    `ballots` (a team's) and `tallied` (of both) are what the reveal says; the last one is None before it and
    for a turn that never was revealed. `all_columns`: each column of a ballot is in the counts. `missing`
    acknowledged ballots cannot be in the tally. The turn was sealed `sealed_ms` and resolved `resolved_ms`
    after the deadline; `reveals_received` phones have heard the reveal, the last `last_reveal_ms` after it.
    """

    turn: int
    number: int
    acknowledged: dict[int, tuple[int, int]] = {}
    blinds: dict[int, str] = {}
    open: set[int] = set()
    tallied: int | None = None
    tallies: dict[int, tuple[int, ...]] = {}
    ballots: dict[int, int] = {}
    all_columns: bool = False
    lost: int = 0
    missing: int = 0
    reveals_received: int = 0
    last_reveal_ms: float = 0.0
    sealed_ms: float | None = None
    resolved_ms: float | None = None

    def count_missing(self, teams: Mapping[int, int]) -> None:
        """Find what is missing; `teams` are those of the phones in this turn."""
        held = Counter(teams[phone] for phone in self.acknowledged)
        self.missing = sum(
            max(held[team] - self.ballots[team], self._missing_in_team(team, counts, teams))
            for team, counts in self.tallies.items()
        )

    def _missing_in_team(self, team: int, counts: tuple[int, ...], teams: Mapping[int, int]) -> int:
        """By column, of those whose acknowledged ballot is their last."""
        expected = Counter(
            column
            for phone, (choice, _) in self.acknowledged.items()
            for column in decode_columns(choice)[: None if self.all_columns else 1]
            if teams[phone] == team and phone not in self.open
        )
        return sum(max(0, ballots - counts[column - 1]) for column, ballots in expected.items())


@dataclass
class RehearsalLedger:
    """`turns_kept` bounds the book of a crowd that plays for ever.

    `lost` ballots were neither counted nor refused before their turn was over, `cut_off` are those of phones
    that the crowd itself cut off meanwhile. `closed` are the codes that phones came back from, `retries` the
    times the server said when; from `away` ones they stay away. `side_changes` of side, a phone's [turn,
    team] each, were acknowledged.
    """

    turns_kept: int | None = None
    turns: dict[int, TurnEntry] = field(default_factory=dict)
    revealed: int = 0
    joined: int = 0
    reconnects: int = 0
    retries: int = 0
    unreadable: int = 0
    sent: int = 0
    acknowledged: int = 0
    lost: int = 0
    cut_off: int = 0
    side_changes: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    closed: Counter[str] = field(default_factory=Counter)
    away: Counter[str] = field(default_factory=Counter)
    join_ms: Samples = field(default_factory=Samples)
    back_ms: Samples = field(default_factory=Samples)
    ack_ms: Samples = field(default_factory=Samples)
    reveal_ms: Samples = field(default_factory=Samples)

    def turn(self, turn: int, number: int = 0) -> TurnEntry:
        entry = self.turns.setdefault(turn, TurnEntry(turn, number))
        entry.number = entry.number or number
        if self.turns_kept is not None and len(self.turns) > self.turns_kept:
            del self.turns[next(iter(self.turns))]
        return entry

    def send_ballot(self, phone: int, turn: int) -> None:
        """A new choice went out."""
        self.sent += 1
        self.turn(turn).open.add(phone)

    def count_ballot(self, phone: int, counted: BallotCounted, *, newest: bool, blind: str = "") -> None:
        entry = self.turn(counted.turn)
        if newest:
            entry.open.discard(phone)
        if counted.sequence > entry.acknowledged.get(phone, (0, 0))[1]:
            entry.acknowledged[phone] = (counted.choice, counted.sequence)
            entry.blinds[phone] = blind
            self.acknowledged += 1

    def lose_ballot(self, turn: int, *, cut_off: bool) -> None:
        """A ballot that was neither counted nor refused before its turn was over."""
        if cut_off:
            self.cut_off += 1
            return
        self.lost += 1
        self.turn(turn).lost += 1

    def record_reveal(self, reveal: Reveal, closes_at: int, received_at: float) -> None:
        """A phone heard the reveal of the turn whose deadline it knew."""
        entry = self.turn(reveal.turn)
        late_ms = received_at - closes_at
        entry.sealed_ms = reveal.sealed_at - closes_at
        entry.resolved_ms = reveal.resolved_at - closes_at
        for one in self._entries_in(reveal):
            one.reveals_received += 1
            one.last_reveal_ms = max(one.last_reveal_ms, late_ms)
        self.reveal_ms.add(late_ms)

    def reveal(self, match: Match, reveal: Reveal) -> None:
        """The crowd hears of it; what it heard first stands."""
        entry = self.turn(reveal.turn, reveal.number)
        if entry.tallied is not None:
            return
        kept = reveal.concealed
        for side in SIDES:
            of = self.turn(kept.turn) if kept and kept.side == side else entry
            tally = getattr(reveal, side)
            if tally and tally.counts:
                team = getattr(match, side)
                of.tallies[team], of.ballots[team] = tally.counts, tally.ballots
        for one in self._entries_in(reveal):
            one.all_columns = match.tally_method == "approval"
            one.tallied = sum(one.ballots.values())
        self.revealed += 1

    def _entries_in(self, reveal: Reveal) -> list[TurnEntry]:
        """The turn, and the one before it if that stayed secret until now."""
        kept = reveal.concealed
        return [self.turn(turn.turn, turn.number) for turn in (reveal, kept) if turn]

    def _team_at(self, number: int, phone: int, home: int) -> int:
        changed = [team for turn, team in self.side_changes.get(phone, ()) if turn <= number]
        return changed[-1] if changed else home

    def count_missing(self, teams: Mapping[int, int]) -> int:
        """How many acknowledged ballots are missing in the tallies."""
        for entry in self.turns.values():
            entry.count_missing(
                {phone: self._team_at(entry.number, phone, team) for phone, team in teams.items()}
            )
        return sum(entry.missing for entry in self.turns.values())
