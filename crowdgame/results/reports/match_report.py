"""Match report: votes and outcome of each turn, turning point and statistics. Pure: no database access."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from crowdgame.results.reports.turning_point import TurningPoint, find_turning_point
from games.engine.game import Board, Resolution, Side
from voting.counting.side_changes import SidesSummary
from voting.counting.tally import SideTally
from voting.terms import EndReason

MatchEnd = Literal["red", "yellow", "draw", "playing", "aborted"]
LINE_REASONS = (EndReason.LINE, EndReason.HOLDER, EndReason.OTHER)


class SideVote(SideTally, frozen=True, kw_only=True):
    """One side's vote in a turn. `max_votes` are the most votes that one ballot can give a column."""

    max_votes: int = 1

    @property
    def agreement(self) -> float | None:
        """The share of votes for the pick, from 0 to 1. None without a pick or without ballots."""
        return self.support[0] / self.support[1] if self.pick and self.ballots else None

    @property
    def support(self) -> tuple[int, int]:
        """Votes for the pick, and the most that it could have. In a runoff, those of the last round."""
        counts = self.rounds[-1] if self.rounds else self.counts
        return counts[(self.pick or 0) - 1], sum(counts) if self.rounds else self.most_votes

    @property
    def most_votes(self) -> int:
        return self.ballots * self.max_votes


@dataclass(frozen=True, slots=True)
class TurnReport:
    """One resolved turn. `board` is the board after it. `votes` has the sides that were to move.

    Times are in milliseconds, as in the database. `opened_at` is None for imported records, which lack it.
    """

    number: int
    votes: Mapping[Side, SideVote]
    board: Board
    resolution: Resolution
    seed: str
    opened_at: int | None
    sealed_at: int | None
    resolved_at: int | None

    @property
    def open_ms(self) -> int | None:
        """How long the vote was open in milliseconds after its last pause. None if unknown."""
        if self.opened_at is None or self.sealed_at is None:
            return None
        return self.sealed_at - self.opened_at


@dataclass(frozen=True, slots=True)
class MatchReport:
    """A match as far as its turns are resolved.

    `reason` is None unless the match has ended. `sides` summarizes the side changes of a match with secret
    sides.
    """

    event: str
    code: str
    match: int
    teams: Mapping[Side, str]
    game: str
    end: MatchEnd
    reason: EndReason | None
    start: Board
    turns: tuple[TurnReport, ...]
    sides: SidesSummary | None = None

    @property
    def winner(self) -> Side | None:
        return self.end if self.end in ("red", "yellow") else None

    @property
    def board(self) -> Board:
        return self.turns[-1].board if self.turns else self.start

    @property
    def ballots(self) -> int:
        return sum(vote.ballots for turn in self.turns for vote in turn.votes.values())

    @property
    def turning_point(self) -> TurningPoint | None:
        """The turning point, or None unless a side won on a board of columns."""
        if self.winner is None or self.reason not in LINE_REASONS:
            return None
        return find_turning_point(self.winner, [turn.board for turn in self.turns])


def ballots_per_turn(turns: Sequence[TurnReport], side: Side) -> list[float | None]:
    """Return the number of the side's ballots in each turn, or None where it was not to move."""
    return [turn.votes[side].ballots if side in turn.votes else None for turn in turns]


def agreement_per_turn(turns: Sequence[TurnReport], side: Side) -> list[float | None]:
    """Return the share of ballots for the side's pick in each turn, in percent."""
    return [_per_cent(turn.votes.get(side)) for turn in turns]


def _per_cent(vote: SideVote | None) -> float | None:
    share = vote.agreement if vote else None
    return None if share is None else 100 * share


def mean_agreement(turns: Sequence[TurnReport], side: Side) -> float | None:
    """Return the share of ballots for the side's picks over all turns, in percent, weighted by ballot."""
    votes = [turn.votes[side] for turn in turns if side in turn.votes]
    counted = [vote for vote in votes if vote.pick and vote.ballots]
    total = sum(vote.support[1] for vote in counted)
    with_it = sum(vote.support[0] for vote in counted)
    return 100 * with_it / total if total else None


def loyal_percent(sides: SidesSummary) -> float:
    """Return the share of all voters who never changed sides, in percent."""
    everybody = sides.turns[0].red + sides.turns[0].yellow if sides.turns else 0
    return 100 * sum(sides.loyal) / everybody if everybody else 0
