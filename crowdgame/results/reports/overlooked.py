"""What the teams overlooked: the turns in which their average voter lost the most, in the active language."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from crowdgame.results.analysis.analyzed_turn import AnalyzedSide, AnalyzedTurn
from crowdgame.results.analysis.verdicts import best_columns, vote_shares
from crowdgame.results.reports.analysis_view import format_points
from crowdgame.results.reports.charts import draw_lines, round_up
from crowdgame.results.reports.match_report import MatchReport, TurnReport
from crowdgame.results.reports.sentences import describe_action, format_percent, join_list
from games.engine.game import SIDES, Side

MAX_ROWS = 5
MIN_LOSS = 0.05  # less is a good choice, see games.solver.judgment
MAX_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class OverlookedRow:
    """A turn of a side: its best choices, and the share of voters for one of them."""

    turn: int
    side: Side
    name: str
    best: str
    share: str
    loss: str


def view_overlooked(report: MatchReport, analyses: Mapping[int, AnalyzedTurn]) -> tuple[OverlookedRow, ...]:
    """Return at most MAX_ROWS rows, the greatest loss first.

    A turn counts if fewer than MAX_SHARE of the voters chose a best column, and the loss is sure. Approval
    votes for several best columns all count.
    """
    found = [row for turn in report.turns if turn.number in analyses for row in _rows(report, turn, analyses)]
    return tuple(row for _loss, row in sorted(found, key=lambda item: -item[0])[:MAX_ROWS])


def _rows(
    report: MatchReport, turn: TurnReport, analyses: Mapping[int, AnalyzedTurn]
) -> Iterator[tuple[float, OverlookedRow]]:
    analysis = analyses[turn.number]
    for side, judged in analysis.sides.items():
        vote = turn.votes[side]
        shares = vote_shares(vote.counts, vote.ballots, vote.max_votes)
        best = best_columns(judged, analysis.mix(side))
        share = sum(shares.get(column, 0.0) for column in best)
        loss = _average_loss(judged) or 0.0
        if shares and share < MAX_SHARE and loss >= MIN_LOSS + analysis.solution.margin:
            yield (
                loss,
                OverlookedRow(
                    turn=turn.number,
                    side=side,
                    name=report.teams[side],
                    best=join_list([describe_action(report, column) for column in best]),
                    share=format_percent(100 * share),
                    loss=format_points(loss),
                ),
            )


def _average_loss(judged: AnalyzedSide | None) -> float | None:
    return judged.crowd.mean_loss if judged and judged.crowd else None


def draw_losses(
    description: str, analyses: Mapping[int, AnalyzedTurn], turns: int, marked: int | None
) -> str:
    """Draw the average loss of each side's votes in each turn, in percentage points."""
    series: dict[Side, list[float | None]] = {
        side: [_points(analyses.get(number), side) for number in range(1, turns + 1)] for side in SIDES
    }
    most = max((value or 0 for values in series.values() for value in values), default=0)
    return draw_lines(description, series, round_up(most), marked)


def _points(analysis: AnalyzedTurn | None, side: Side) -> float | None:
    loss = _average_loss(analysis.sides.get(side)) if analysis else None
    return None if loss is None else 100 * loss
