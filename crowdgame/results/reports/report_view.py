"""View model of the match report page: drawings, sentences and table rows, in the active language."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import bidirectional

from django.utils.translation import get_language_bidi, ngettext, pgettext
from django.utils.translation import gettext as _

from crowdgame.results.analysis.analyzed_turn import AnalyzedTurn, Crowd
from crowdgame.results.reports.analysis_view import (
    AnalysisView,
    WisdomRow,
    draw_chances,
    match_crowds,
    view_analysis,
    view_wisdom,
)
from crowdgame.results.reports.charts import draw_bars, draw_lines, draw_votes, fitting_unit, round_up
from crowdgame.results.reports.deciding_view import DecidingView, describe_turn_verdicts, view_deciding
from crowdgame.results.reports.match_report import (
    MatchReport,
    SideVote,
    TurnReport,
    agreement_per_turn,
    ballots_per_turn,
    loyal_percent,
    mean_agreement,
)
from crowdgame.results.reports.overlooked import OverlookedRow, draw_losses, view_overlooked
from crowdgame.results.reports.sentences import (
    describe_action,
    describe_counts,
    describe_end,
    describe_judges,
    describe_result,
    describe_turn,
    describe_turning_point,
    format_count,
    format_percent,
)
from games.drawing.board_drawing import Highlights, draw_board
from games.engine.game import SIDES, Board, Side, insert_team_names
from games.engine.texts import translate_board, translate_text
from voting import protocol
from voting.counting.side_changes import SidesSummary

SIDE_BY_CELL: dict[str, Side] = {"R": "red", "Y": "yellow"}
ISOLATE, END_ISOLATE = "\u2068", "\u2069"


@dataclass(frozen=True, slots=True)
class VoteRow:
    side: Side
    name: str
    vote: SideVote
    share: str
    pick: str

    @property
    def seal(self) -> str:
        """The Merkle root in groups of four digits. Phones show its first half (see `fingerprint`)."""
        root = self.vote.root or ""
        return " ".join(root[start : start + 4] for start in range(0, len(root), 4))


@dataclass(frozen=True, slots=True)
class TurnView:
    number: int
    description: str
    verdict: str
    board: str
    chart: str
    rows: tuple[VoteRow, ...]
    token: str
    holder: Side | None
    turned: bool
    turn: TurnReport
    analysis: AnalysisView | None


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    description: str
    axis: str
    drawn: str


@dataclass(frozen=True, slots=True)
class ReportView:
    """Everything the report page shows.

    `agreements` has each side, its team name and the share of its votes for its picks. Drawings are safe
    HTML.
    """

    result: str
    end: str
    deciding: DecidingView | None
    turning_point: str
    judges: str
    final: str
    ballots: str
    most: str
    agreements: tuple[tuple[Side, str, str], ...]
    turns: tuple[TurnView, ...]
    charts: tuple[Chart, ...]
    wisdom: tuple[WisdomRow, ...]
    event_wisdom: tuple[WisdomRow, ...]
    overlooked: tuple[OverlookedRow, ...]


def view_report(
    report: MatchReport,
    analyses: Mapping[int, AnalyzedTurn] | None = None,
    event_crowds: Mapping[Side, Sequence[Crowd]] | None = None,
    deciding: protocol.MatchAnalysis | None = None,
) -> ReportView:
    """Build the page's view model.

    `analyses` are those of the turns by number. `event_crowds` are the judged crowds of the event so far, of
    the teams that play each side in this match; empty for its first match. `deciding` is what decided it,
    if all turns are analyzed; otherwise the turning point is that of the threats.
    """
    analyses = analyses or {}
    report = replace(report, teams={side: isolate(name) for side, name in report.teams.items()})
    judges = deciding.judges if deciding else ()
    decided = view_deciding(deciding, report, analyses) if deciding else None
    turned = decided.turning if decided else report.turning_point.turn if report.turning_point else 0
    most = max((sum(vote.ballots for vote in turn.votes.values()) for turn in report.turns), default=0)
    return ReportView(
        result=describe_result(report),
        end=describe_end(report),
        deciding=decided,
        turning_point=describe_turning_point(report),
        judges=describe_judges([judge.name and isolate(judge.name) for judge in judges]),
        final=draw_board(
            translate_board(report.board, _),
            _("The final board.") + " " + describe_board(report, report.board),
        ),
        ballots=format_count(report.ballots),
        most=format_count(most),
        agreements=tuple(
            (s, report.teams[s], format_percent(mean_agreement(report.turns, s))) for s in SIDES
        ),
        turns=tuple(_view_turn(report, turn, turned, analyses.get(turn.number)) for turn in report.turns),
        charts=tuple(_charts(report, analyses, turned or None)) if report.turns else (),
        wisdom=view_wisdom(match_crowds(analyses), report.teams),
        event_wisdom=view_wisdom(event_crowds or {}, report.teams),
        overlooked=view_overlooked(report, analyses),
    )


def isolate(name: str) -> str:
    """Keep a name from changing the order of the text around it, if their directions may differ."""
    if get_language_bidi() or any(bidirectional(char) in ("R", "AL") for char in name):
        return f"{ISOLATE}{name}{END_ISOLATE}"
    return name


def describe_board(report: MatchReport, board: Board) -> str:
    """Describe a board for screen readers: the drawing's own words, or its columns from the bottom up."""
    if board.drawing:
        return insert_team_names(translate_text(board.drawing.words, _), report.teams)
    return describe_columns(board)


def describe_columns(board: Board) -> str:
    """Describe the columns of a grid, each from the bottom up."""
    return " ".join(
        _("Column %(column)s: %(balls)s.") % {"column": number, "balls": _stack(board, number)}
        for number in range(1, board.columns + 1)
    )


def _stack(board: Board, column: int) -> str:
    colors = {"R": pgettext("color of a ball", "red"), "Y": pgettext("color of a ball", "yellow")}
    cells = (line[column - 1] for line in reversed(board.grid))
    return pgettext("between names", ", ").join(colors[cell] for cell in cells if cell in colors) or pgettext(
        "column of a board", "empty"
    )


def _view_turn(report: MatchReport, turn: TurnReport, turned: int, analysis: AnalyzedTurn | None) -> TurnView:
    came = turn.resolution
    fresh = {(drop.column, drop.row) for drop in came.drops if drop.row is not None}
    number = {"turn": turn.number}
    description = _("The board after turn %(turn)s.") % number + " " + describe_board(report, turn.board)
    shares = _("Turn %(turn)s, votes by column.") % number
    for side, vote in turn.votes.items():
        counts = describe_counts(report, vote.counts) or pgettext("votes", "none")
        shares += " " + _("%(team)s: %(votes)s.") % {"team": report.teams[side], "votes": counts}
    holder = came.token_after if came.result == "open" else came.token_before
    choices = [translate_text(turn.board.action_name(n), _) for n in range(1, turn.board.columns + 1)]
    return TurnView(
        number=turn.number,
        description=describe_turn(report, turn),
        verdict=describe_turn_verdicts(turn, analysis, report.teams) if analysis else "",
        board=draw_board(
            translate_board(turn.board, _), description, Highlights(fresh=fresh, framed=came.conflict)
        ),
        chart=draw_votes(shares, turn.votes, choices, _mixes(turn, analysis)),
        rows=tuple(_rows(report, turn)),
        token=report.teams[holder] if holder else "",
        holder=holder,
        turned=turn.number == turned,
        turn=turn,
        analysis=view_analysis(analysis, report.teams) if analysis else None,
    )


def _mixes(turn: TurnReport, analysis: AnalyzedTurn | None) -> dict[Side, Sequence[float]]:
    """Return the perfect mixes of the sides that voted."""
    return {side: analysis.mix(side) for side in turn.votes} if analysis else {}


def _rows(report: MatchReport, turn: TurnReport) -> Iterator[VoteRow]:
    for side, vote in turn.votes.items():
        share = format_percent(None if vote.agreement is None else 100 * vote.agreement)
        pick = describe_action(report, vote.pick) if vote.pick else ""
        yield VoteRow(side, report.teams[side], vote, share, pick)


def _charts(report: MatchReport, analyses: Mapping[int, AnalyzedTurn], marked: int | None) -> Iterator[Chart]:
    turns = report.turns
    if analyses:
        text = _("Winning chance of %(team)s after each turn, with best play of both teams from then on.")
        text = text % {"team": report.teams["red"]}
        drawn = draw_chances(text, analyses, len(turns), marked)
        yield Chart(_("Winning chance"), text, _("Winning chance"), drawn)
    if report.sides:
        yield _sides_chart(report.sides, marked)
    ballots = {side: ballots_per_turn(turns, side) for side in SIDES}
    most = max((value for values in ballots.values() for value in values if value), default=0)
    description = _("Votes per turn, at most %(most)s from one team.") % {"most": format_count(int(most))}
    lines = draw_lines(description, ballots, round_up(most), marked)
    yield Chart(_("Turnout"), _("Votes per turn, by team."), _("Votes"), lines)
    agreement = {side: agreement_per_turn(turns, side) for side in SIDES}
    description = " ".join(_describe_agreement(report, side) for side in SIDES)
    text = _("Percentage of votes for the move that the team played.")
    lines = draw_lines(description, agreement, 100, marked, _("%(number)s%%"))
    yield Chart(_("Agreement"), text, _("Share of votes"), lines)
    if any(match_crowds(analyses).values()):
        text = _("Winning chance that the average voter lost. Less is better.")
        drawn = draw_losses(text, analyses, len(turns), marked)
        yield Chart(_("Average voter lost"), text, _("Percentage points"), drawn)
    yield from _voting_times_chart(turns)


def _describe_agreement(report: MatchReport, side: Side) -> str:
    share = format_percent(mean_agreement(report.turns, side))
    text = _("%(team)s: %(percent)s overall.") if share else _("%(team)s: no votes.")
    return text % {"team": report.teams[side], "percent": share}


def _sides_chart(sides: SidesSummary, marked: int | None) -> Chart:
    held: dict[Side, list[float | None]] = {
        "red": [turn.red for turn in sides.turns],
        "yellow": [turn.yellow for turn in sides.turns],
    }
    most = max((turn.red + turn.yellow for turn in sides.turns), default=0)
    moved = sum(turn.to_red + turn.to_yellow for turn in sides.turns)
    changes = ngettext("%(count)s change of side.", "%(count)s changes of side.", moved)
    sentences = (
        _("Voters on each side, kept secret until the end."),
        changes % {"count": format_count(moved)},
        _("Changed in time: %(in_time)s. Too soon: %(too_soon)s. Stayed: %(loyal)s.")
        % {
            "in_time": format_count(sides.in_time),
            "too_soon": format_count(sides.too_soon),
            "loyal": format_percent(loyal_percent(sides)),
        },
    )
    description = " ".join(
        _("Turn %(turn)s: %(red)s, %(yellow)s.") % {"turn": n, "red": turn.red, "yellow": turn.yellow}
        for n, turn in enumerate(sides.turns, 1)
    )
    drawn = draw_lines(description, held, round_up(most), marked)
    return Chart(pgettext("teams of the voters", "Sides"), " ".join(sentences), _("Voters"), drawn)


def _voting_times_chart(turns: tuple[TurnReport, ...]) -> Iterator[Chart]:
    known = [turn.open_ms for turn in turns if turn.open_ms is not None]
    if not known:
        return
    size, unit = fitting_unit(max(known))
    unit = _(unit)
    values = [None if turn.open_ms is None else turn.open_ms / size for turn in turns]
    description = _("From %(shortest)s to %(longest)s.") % {
        "shortest": unit % {"number": round(min(known) / size)},
        "longest": unit % {"number": round(max(known) / size)},
    }
    text = _("How long each vote was open after its last pause. Times of single votes are not stored.")
    yield Chart(_("Time to vote"), text, _("Time"), draw_bars(description, values, unit))
