"""The figures of a match report as rows of a CSV file. Pure: no database access."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import TypeVar

from crowdgame.results.analysis.analyzed_turn import AnalyzedSide, AnalyzedTurn, Crowd
from crowdgame.results.reports.match_report import MatchReport, SideVote, TurnReport
from games.engine.game import SIDES, Side
from games.solver.judgment import winning_chance

Row = TypeVar("Row")
CellValue = str | int | float | Decimal | None
Cell = Callable[[Row], CellValue]


def report_csv_rows(
    report: MatchReport, analyses: Mapping[int, AnalyzedTurn]
) -> Iterator[tuple[CellValue, ...]]:
    """Yield a header and one row per turn.

    `analyses` by turn number, as far as there are any. Without one, its cells are None.
    """
    columns = _csv_columns(report) | _analysis_columns(analyses)
    yield tuple(columns)
    for turn in report.turns:
        yield tuple(_rounded(cell(turn)) for cell in columns.values())


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
        **_for_both_sides({"draw_votes": lambda vote: vote.draw_votes}),
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
        "margin": cell_for(lambda analysis: analysis.solution.margin),
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


def _rounded(value: CellValue) -> CellValue:
    return Decimal(f"{value:.4f}") if isinstance(value, float) else value
