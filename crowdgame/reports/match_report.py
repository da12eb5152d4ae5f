"""Match report: votes and outcome of each turn, turning point and statistics. Pure: no database access."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from crowdgame.analysis.analyzed_turn import AnalyzedSide, AnalyzedTurn, Crowd
from crowdgame.reports.turning_point import TurningPoint, find_turning_point
from games.engine.game import SIDES, Board, Resolution, Side
from games.solver.judgment import winning_chance
from voting.counting.side_changes import SidesSummary
from voting.counting.tally import SideTally
from voting.terms import EndReason

MatchEnd = Literal["red", "yellow", "draw", "playing", "aborted"]
LINE_REASONS = (EndReason.LINE, EndReason.HOLDER, EndReason.OTHER)
Row = TypeVar("Row")
CellValue = str | int | float | None
Cell = Callable[[Row], CellValue]


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
        """How long the vote was open in milliseconds, including pauses. None if unknown."""
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


def report_csv_rows(report: MatchReport, analyses: Mapping[int, AnalyzedTurn]) -> Iterator[tuple[str, ...]]:
    """Yield a header and one row per turn. No cell contains user text, so none needs CSV escaping.

    `analyses` by turn number, as far as there are any. Without one, its cells are empty.
    """
    columns = _csv_columns(report) | _analysis_columns(analyses)
    yield tuple(columns)
    for turn in report.turns:
        yield tuple(_text(cell(turn)) for cell in columns.values())


def _csv_columns(report: MatchReport) -> dict[str, Cell[TurnReport]]:
    """Return the function that gives a column's cell for a turn, by header."""
    return {
        "code": lambda _: report.code,
        "match": lambda _: report.match,
        "turn": lambda turn: turn.number,
        "opened_at": lambda turn: turn.opened_at,
        "sealed_at": lambda turn: turn.sealed_at,
        "resolved_at": lambda turn: turn.resolved_at,
        **_for_both_sides(
            {
                "ballots": lambda vote: vote.ballots,
                "pick": lambda vote: vote.pick,
                "decided_by": lambda vote: vote.decided_by,
                "agreement": lambda vote: vote.agreement,
            }
        ),
        **_for_both_sides({str(column): _votes_for(column) for column in range(1, report.board.columns + 1)}),
        "conflict": lambda turn: turn.resolution.conflict,
        "token_before": lambda turn: turn.resolution.token_before,
        "token_after": lambda turn: turn.resolution.token_after,
        "result": lambda turn: _result(report, turn),
        **_for_both_sides({"resigning": lambda vote: vote.resigning, "rounds": _rounds}),
    }


def _for_both_sides(columns: Mapping[str, Cell[SideVote]]) -> dict[str, Cell[TurnReport]]:
    """Return the columns of each side. A side that was not to move has empty cells."""

    def cell_for(side: Side, cell: Cell[SideVote]) -> Cell[TurnReport]:
        return lambda turn: cell(turn.votes[side]) if side in turn.votes else None

    return {f"{side}_{name}": cell_for(side, cell) for side in SIDES for name, cell in columns.items()}


def _analysis_columns(analyses: Mapping[int, AnalyzedTurn]) -> dict[str, Cell[TurnReport]]:
    """Return the cells of a turn's analysis: winning chances and their losses, from 0 to 1."""

    def cell_for(cell: Cell[AnalyzedTurn]) -> Cell[TurnReport]:
        return lambda turn: cell(analyses[turn.number]) if turn.number in analyses else None

    def side_cell_for(side: Side, cell: Cell[AnalyzedSide]) -> Cell[TurnReport]:
        return cell_for(lambda analysis: cell(analysis.sides[side]) if side in analysis.sides else None)

    def crowd_cell_for(cell: Cell[Crowd]) -> Cell[AnalyzedSide]:
        return lambda side: cell(side.crowd) if side.crowd else None

    by_side: dict[str, Cell[AnalyzedSide]] = {
        "class": lambda side: side.quality,
        "cost": lambda side: side.loss,
        "hindsight": lambda side: side.hindsight,
        "average_vote_cost": crowd_cell_for(lambda crowd: crowd.mean_loss),
        "crowd_gain": crowd_cell_for(lambda crowd: crowd.gain),
        "exploitable_by": crowd_cell_for(lambda crowd: crowd.exploitability),
    }
    return {
        "analysis": cell_for(lambda analysis: "exact" if analysis.solution.is_exact else "estimate"),
        "red_chance_before": cell_for(lambda analysis: winning_chance(analysis.solution, "red")),
        "red_chance_after": cell_for(
            lambda analysis: None if analysis.after is None else (1 + analysis.after) / 2
        ),
        **{f"{side}_{name}": side_cell_for(side, cell) for side in SIDES for name, cell in by_side.items()},
    }


def _votes_for(column: int) -> Cell[SideVote]:
    return lambda vote: vote.counts[column - 1]


def _result(report: MatchReport, turn: TurnReport) -> str:
    """Return the result after a turn. The board alone doesn't show a forfeit."""
    ended = turn is report.turns[-1] and report.end not in ("playing", "aborted")
    return report.end if ended else turn.resolution.result


def _rounds(vote: SideVote) -> str:
    return " | ".join(" ".join(map(str, counts)) for counts in vote.rounds or ())


def _text(value: CellValue) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def loyal_percent(sides: SidesSummary) -> float:
    """Return the share of all voters who never changed sides, in percent."""
    everybody = sides.turns[0].red + sides.turns[0].yellow if sides.turns else 0
    return 100 * sum(sides.loyal) / everybody if everybody else 0
