"""The crowd's own record of acknowledged ballots, to compare with the server's tallies."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import msgspec

from crowdgame.rehearsal.samples import Samples
from games.engine.game import SIDES
from voting.counting.methods.voting_method import DEFAULT_METHOD, find_method
from voting.protocol import BallotCounted, Match, Reveal


class TurnEntry(msgspec.Struct):
    """The record of one turn. All times are in ms after the turn was due.

    `acknowledged`: phone index -> the last (choice, sequence) counted. `blinds` are the blinding factors of
    these ballots. `open` are phones whose latest choice was not acknowledged.

    The reveal sets `tallies` (a team's counts per column), `ballots` (a team's) and `tallied` (both teams'),
    which is None for a turn that was not revealed.

    `lost` ballots had no reply before the turn was over. `missing` ballots were acknowledged and cannot be in
    the tally, or have a wrong receipt: of the `receipts` received, `wrong_receipts` are for another ballot or
    for none.

    The turn was sealed at `sealed_ms` and resolved at `resolved_ms`. `reveals_received` phones have received
    the reveal, the last one at `last_reveal_ms`.
    """

    turn: int
    number: int
    acknowledged: dict[int, tuple[int, int]] = {}
    blinds: dict[int, str] = {}
    open: set[int] = set()
    tallied: int | None = None
    tallies: dict[int, tuple[int, ...]] = {}
    ballots: dict[int, int] = {}
    tally_method: str = DEFAULT_METHOD
    lost: int = 0
    missing: int = 0
    receipts: int = 0
    wrong_receipts: int = 0
    reveals_received: int = 0
    last_reveal_ms: float = 0.0
    sealed_ms: float | None = None
    resolved_ms: float | None = None

    def count_missing(self, teams: Mapping[int, int]) -> None:
        """Set `missing`. `teams` maps the phones to their teams in this turn."""
        acknowledged = Counter(teams[phone] for phone in self.acknowledged)
        in_no_tally = sum(
            max(acknowledged[team] - self.ballots[team], self._missing_in_team(team, counts, teams))
            for team, counts in self.tallies.items()
        )
        self.missing = max(in_no_tally, self.wrong_receipts)

    def check_receipt(self, phone: int, choice: int | None) -> None:
        """Compare a receipt with what was acknowledged. A choice that was not may have replaced that."""
        self.receipts += 1
        if phone in self.acknowledged and phone not in self.open:
            self.wrong_receipts += self.acknowledged[phone][0] != choice

    def _missing_in_team(self, team: int, counts: tuple[int, ...], teams: Mapping[int, int]) -> int:
        """Count missing ballots by column.

        Skips phones with an unacknowledged choice, which may have replaced the acknowledged one.
        """
        method = find_method(self.tally_method)
        expected = Counter(
            column
            for phone, (choice, _) in self.acknowledged.items()
            for column in method.counted(method.decode(choice))
            if teams[phone] == team and phone not in self.open
        )
        return sum(max(0, ballots - counts[column - 1]) for column, ballots in expected.items())


@dataclass
class RehearsalLedger:
    """The record of a whole rehearsal. `turns_kept` bounds its memory for a crowd without an end.

    `lost` ballots were neither counted nor refused before their turn was over. `cut_off` ones are those of
    phones that the crowd itself disconnected meanwhile.

    `closed` counts the close codes after which phones came back, `away` those after which they did not.
    `retries` counts `retry.after` messages. `side_changes` are the acknowledged side changes of each phone,
    as (turn number, team).
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
        """Return the turn's entry and create it if necessary. Drops the oldest entry beyond `turns_kept`."""
        entry = self.turns.setdefault(turn, TurnEntry(turn, number))
        entry.number = entry.number or number
        if self.turns_kept is not None and len(self.turns) > self.turns_kept:
            del self.turns[next(iter(self.turns))]
        return entry

    def send_ballot(self, phone: int, turn: int) -> None:
        """Record that a new choice was sent. Resends do not count."""
        self.sent += 1
        self.turn(turn).open.add(phone)

    def count_ballot(self, phone: int, counted: BallotCounted, *, newest: bool, blind: str = "") -> None:
        """Record an acknowledgment. `newest`: it is that of the phone's latest choice."""
        entry = self.turn(counted.turn)
        if newest:
            entry.open.discard(phone)
        if counted.sequence > entry.acknowledged.get(phone, (0, 0))[1]:
            entry.acknowledged[phone] = (counted.choice, counted.sequence)
            entry.blinds[phone] = blind
            self.acknowledged += 1

    def lose_ballot(self, turn: int, *, cut_off: bool) -> None:
        """Record a ballot that was neither counted nor refused before its turn was over."""
        if cut_off:
            self.cut_off += 1
            return
        self.lost += 1
        self.turn(turn).lost += 1

    def record_reveal(self, match: Match, closes_at: int, received_at: float) -> None:
        """Record that a phone received the match's reveal at `received_at`.

        `closes_at` is the turn's deadline, both in server ms. The wait for an organizer is no delay.
        """
        reveal = cast(Reveal, match.reveal)
        due_at = closes_at if match.host_wait_s is None else reveal.resolved_at
        entry = self.turn(reveal.turn)
        late_ms = received_at - due_at
        entry.sealed_ms = reveal.sealed_at - closes_at
        entry.resolved_ms = reveal.resolved_at - due_at
        for revealed in self._entries_in(reveal):
            revealed.reveals_received += 1
            revealed.last_reveal_ms = max(revealed.last_reveal_ms, late_ms)
        self.reveal_ms.add(late_ms)

    def reveal(self, match: Match, reveal: Reveal) -> None:
        """Record the tally of a reveal. Only the first call for a turn counts."""
        entry = self.turn(reveal.turn, reveal.number)
        if entry.tallied is not None:
            return
        concealed = reveal.concealed
        for side in SIDES:
            voted = self.turn(concealed.turn) if concealed and concealed.side == side else entry
            tally = getattr(reveal, side)
            if tally and tally.counts:
                team = getattr(match, side)
                voted.tallies[team], voted.ballots[team] = tally.counts, tally.ballots
        for revealed in self._entries_in(reveal):
            revealed.tally_method = match.tally_method or DEFAULT_METHOD
            revealed.tallied = sum(revealed.ballots.values())
        self.revealed += 1

    def _entries_in(self, reveal: Reveal) -> list[TurnEntry]:
        """Return the entry of the turn, and that of a turn which stayed concealed until this reveal."""
        return [self.turn(turn.turn, turn.number) for turn in (reveal, reveal.concealed) if turn]

    def _team_at(self, number: int, phone: int, home: int) -> int:
        changed = [team for turn, team in self.side_changes.get(phone, ()) if turn <= number]
        return changed[-1] if changed else home

    def count_missing(self, teams: Mapping[int, int]) -> int:
        """Return how many acknowledged ballots are missing from the tallies.

        `teams` are those that the phones joined, before any side change.
        """
        for entry in self.turns.values():
            entry.count_missing(
                {phone: self._team_at(entry.number, phone, team) for phone, team in teams.items()}
            )
        return sum(entry.missing for entry in self.turns.values())
