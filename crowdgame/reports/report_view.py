"""View model of the match report page: drawings, sentences and table rows. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from crowdgame.reports.charts import draw_bars, draw_lines, draw_votes, fitting_unit, round_up
from crowdgame.reports.match_report import (
    MatchReport,
    SideVote,
    TurnReport,
    agreement_per_turn,
    ballots_per_turn,
    loyal_percent,
    mean_agreement,
)
from crowdgame.reports.sentences import describe_end, describe_result, describe_turn, describe_turning_point
from games.drawing.board_drawing import Highlights, draw_board
from games.engine.game import SIDES, Board, Side, insert_team_names
from voting.counting.side_changes import SidesSummary

SIDE_BY_CELL = {"R": "red", "Y": "yellow"}


@dataclass(frozen=True, slots=True)
class VoteRow:
    side: Side
    name: str
    vote: SideVote
    share: str
    pick: str


@dataclass(frozen=True, slots=True)
class TurnView:
    number: int
    description: str
    board: str
    chart: str
    rows: tuple[VoteRow, ...]
    token: str
    holder: Side | None
    turned: bool
    turn: TurnReport


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    description: str
    drawn: str


@dataclass(frozen=True, slots=True)
class ReportView:
    """Everything the report page shows.

    `agreements` has each side, its team name and the share of its votes for its picks. Drawings are safe
    HTML.
    """

    result: str
    end: str
    turning_point: str
    final: str
    ballots: str
    most: str
    agreements: tuple[tuple[Side, str, str], ...]
    turns: tuple[TurnView, ...]
    charts: tuple[Chart, ...]


def view_report(report: MatchReport) -> ReportView:
    turned = report.turning_point
    most = max((sum(vote.ballots for vote in turn.votes.values()) for turn in report.turns), default=0)
    return ReportView(
        result=describe_result(report),
        end=describe_end(report),
        turning_point=describe_turning_point(report),
        final=draw_board(report.board, f"The final board. {describe_board(report, report.board)}"),
        ballots=f"{report.ballots:,}",
        most=f"{most:,}",
        agreements=tuple(
            (s, report.teams[s], _format_percent(mean_agreement(report.turns, s))) for s in SIDES
        ),
        turns=tuple(_view_turn(report, turn, turned.turn if turned else 0) for turn in report.turns),
        charts=tuple(_charts(report)) if report.turns else (),
    )


def describe_board(report: MatchReport, board: Board) -> str:
    """Describe a board for screen readers: the drawing's own words, or its columns from the bottom up."""
    if board.drawing:
        return insert_team_names(board.drawing.words, report.teams)
    description = (
        f"Column {number}: {_stack(report, board, number)}" for number in range(1, board.columns + 1)
    )
    return ". ".join(description) + "."


def _stack(report: MatchReport, board: Board, column: int) -> str:
    chars = [line[column - 1] for line in reversed(board.grid) if line[column - 1] in SIDE_BY_CELL]
    return ", ".join(SIDE_BY_CELL[char] for char in chars) or "empty"


def _view_turn(report: MatchReport, turn: TurnReport, turned: int) -> TurnView:
    came = turn.resolution
    fresh = {(drop.column, drop.row) for drop in came.drops if drop.row is not None}
    description = f"The board after turn {turn.number}. {describe_board(report, turn.board)}"
    shares = f"Turn {turn.number}, votes by column. " + " ".join(
        map(partial(_describe_votes, report), turn.votes.items())
    )
    holder = came.token_after
    choices = [turn.board.action_name(action) for action in range(1, turn.board.columns + 1)]
    return TurnView(
        number=turn.number,
        description=describe_turn(report, turn),
        board=draw_board(turn.board, description, Highlights(fresh=fresh, framed=came.conflict)),
        chart=draw_votes(shares, turn.votes, choices),
        rows=tuple(_rows(report, turn)),
        token=report.teams[holder] if holder else "",
        holder=holder,
        turned=turn.number == turned,
        turn=turn,
    )


def _describe_votes(report: MatchReport, voted: tuple[Side, SideVote]) -> str:
    side, vote = voted
    counts = (
        f"{count} for {report.start.action_name(column)}"
        for column, count in enumerate(vote.counts, 1)
        if count
    )
    return f"{report.teams[side]}: {', '.join(counts) or 'none'}."


def _rows(report: MatchReport, turn: TurnReport) -> Iterator[VoteRow]:
    for side, vote in turn.votes.items():
        share = "" if vote.agreement is None else f"{100 * vote.agreement:.0f} %"
        pick = report.start.action_name(vote.pick) if vote.pick else ""
        yield VoteRow(side, report.teams[side], vote, share, pick)


def _charts(report: MatchReport) -> Iterator[Chart]:
    turns, turned = report.turns, report.turning_point
    marked = turned.turn if turned else None
    if report.sides:
        yield _sides_chart(report.sides, marked)
    ballots = {side: ballots_per_turn(turns, side) for side in SIDES}
    most = max((value for values in ballots.values() for value in values if value), default=0)
    description = f"Votes per turn, at most {most:.0f} from one team."
    text = "Votes per turn, by team."
    yield Chart("Turnout", text, draw_lines(description, ballots, round_up(most), marked))
    agreement = {side: agreement_per_turn(turns, side) for side in SIDES}
    description = " ".join(
        f"{report.teams[s]}: {_format_percent(mean_agreement(turns, s)) or 'no votes'} overall."
        for s in SIDES
    )
    text = "Percentage of votes for the move that the team played."
    yield Chart("Agreement", text, draw_lines(description, agreement, 100, marked))
    yield from _voting_times_chart(turns)


def _sides_chart(sides: SidesSummary, marked: int | None) -> Chart:
    held: dict[Side, list[float | None]] = {
        "red": [turn.red for turn in sides.turns],
        "yellow": [turn.yellow for turn in sides.turns],
    }
    most = max((turn.red + turn.yellow for turn in sides.turns), default=0)
    moved = sum(turn.to_red + turn.to_yellow for turn in sides.turns)
    text = (
        f"Voters on each side, kept secret until the end. {moved:,} changes of side; "
        f"{sides.in_time:,} changed in time, {sides.too_soon:,} too soon, "
        f"{loyal_percent(sides):.0f} % stayed."
    )
    description = " ".join(f"Turn {n}: {turn.red}, {turn.yellow}." for n, turn in enumerate(sides.turns, 1))
    return Chart("Sides", text, draw_lines(description, held, round_up(most), marked))


def _voting_times_chart(turns: tuple[TurnReport, ...]) -> Iterator[Chart]:
    known = [turn.open_ms for turn in turns if turn.open_ms is not None]
    if not known:
        return
    size, unit = fitting_unit(max(known))
    values = [None if turn.open_ms is None else turn.open_ms / size for turn in turns]
    description = f"From {min(known) / size:.0f}{unit} to {max(known) / size:.0f}{unit}."
    text = "How long each vote was open, including pauses. Times of single votes are not stored."
    yield Chart("Time to vote", text, draw_bars(description, values, unit))


def _format_percent(per_cent: float | None) -> str:
    return "" if per_cent is None else f"{per_cent:.0f} %"
