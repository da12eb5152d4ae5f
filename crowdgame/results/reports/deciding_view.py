"""View model of what decided a match, and sentences about the choices of a turn, in the active language."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from crowdgame.results.analysis.analyzed_turn import AnalyzedTurn
from crowdgame.results.analysis.verdicts import judge_choices, vote_shares
from crowdgame.results.reports.match_report import MatchReport, TurnReport
from crowdgame.results.reports.sentences import format_percent
from games.drawing.board_drawing import Highlights, draw_board
from games.engine.game import Side
from games.solver.judgment import Quality
from voting import protocol

Teams = Mapping[Side, str]


@dataclass(frozen=True, slots=True)
class DecidingView:
    """The panel about what decided the match. `turning` is 0 without a turning point.

    `picture` is the board before the decisive mistake, with the ball that was dropped above it and the
    better column framed. "" without a mistake.
    """

    headline: str
    sentences: tuple[str, ...]
    turning: int
    picture: str
    caption: str


def view_deciding(
    deciding: protocol.MatchAnalysis, report: MatchReport, analyses: Mapping[int, AnalyzedTurn]
) -> DecidingView | None:
    """Return the panel. None if nothing decided the match."""
    headline, *sentences = [*_sentences(deciding, report, analyses), ""]
    if not headline:
        return None
    mistake = deciding.mistake
    return DecidingView(
        headline=headline,
        sentences=tuple(filter(None, sentences)),
        turning=deciding.turning or 0,
        picture=_draw(mistake) if mistake else "",
        caption=_describe_picture(mistake) if mistake else "",
    )


def _sentences(
    deciding: protocol.MatchAnalysis, report: MatchReport, analyses: Mapping[int, AnalyzedTurn]
) -> Iterator[str]:
    if missed := deciding.missed:
        text = ngettext(
            "%(name)s missed a certain win in %(count)s turn",
            "%(name)s missed a certain win for %(count)s turns",
            missed.turns,
        )
        yield text % {"name": report.teams[missed.side], "count": missed.turns}
    if deciding.turning and report.winner:
        yield _("Turning point: turn %(turn)s") % {"turn": deciding.turning}
        yield _describe_swing(report, report.winner, analyses[deciding.turning])
    if mistake := deciding.mistake:
        text = _("Decisive mistake: turn %(turn)s") if report.winner else _("Biggest mistake: turn %(turn)s")
        yield text % {"turn": mistake.number}
        yield describe_verdicts((mistake.verdict,), report.teams, 0)


def _describe_swing(report: MatchReport, winner: Side, analysis: AnalyzedTurn) -> str:
    sign = 1 if winner == "red" else -1
    before, after = (50 * (1 + sign * value) for value in (analysis.solution.value, analysis.after or 0))
    return _("The winning chance of %(team)s rose from %(before)s to %(after)s.") % {
        "team": report.teams[winner],
        "before": format_percent(before),
        "after": format_percent(after),
    }


def _draw(mistake: protocol.DecisiveMistake) -> str:
    verdict = mistake.verdict
    marks = Highlights(above=((verdict.side, verdict.column),), framed=verdict.held)
    return draw_board(mistake.board, _describe_picture(mistake), marks)


def _describe_picture(mistake: protocol.DecisiveMistake) -> str:
    values = {"turn": mistake.number, "column": mistake.verdict.column, "held": mistake.verdict.held}
    return (
        _("Before turn %(turn)s: the choice above column %(column)s, the better column %(held)s framed.")
        % values
    )


def describe_turn_verdicts(turn: TurnReport, analysis: AnalyzedTurn, teams: Teams) -> str:
    """Say what the choices of a turn were worth."""
    shares = {
        side: vote_shares(vote.counts, vote.ballots, vote.max_votes) for side, vote in turn.votes.items()
    }
    return describe_verdicts(judge_choices(analysis, shares), teams, analysis.solution.value)


def describe_verdicts(verdicts: Sequence[protocol.Verdict], teams: Teams, value: float) -> str:
    """Name the costliest choice, or all if none was costly. "" without a choice.

    `value` is that of the position before it for red.
    """
    if not verdicts:
        return ""
    first = verdicts[0]
    values = {"name": teams[first.side], "column": first.column, "held": first.held}
    if first.quality is None:
        return _describe_estimate(first) % {**values, "points": round(100 * first.loss)}
    if first.held:
        percent = None if first.share is None else format_percent(100 * first.share)
        text = _costly_texts(counted=percent is not None)[first.quality]
        return text % {**values, "percent": percent}
    return _describe_good(verdicts, teams, value)


def _describe_estimate(verdict: protocol.Verdict) -> str:
    if verdict.held is None:
        return _("Estimate: no clear mistake")
    return _("%(name)s: %(column)s cost about %(points)s percentage points, compared with %(held)s")


def _describe_good(verdicts: Sequence[protocol.Verdict], teams: Teams, value: float) -> str:
    first, *others = verdicts
    for verdict in verdicts:
        if value == (1 if verdict.side == "red" else -1):
            text = _("%(name)s: %(column)s. The win was certain")
            return text % {"name": teams[verdict.side], "column": verdict.column}
    values = {"name": teams[first.side], "column": first.column}
    if others:
        text = _("Both chose well: %(name)s %(column)s, %(other)s %(others)s")
        return text % {**values, "other": teams[others[0].side], "others": others[0].column}
    if first.quality == "best":
        return _("%(name)s: %(column)s, one of the best choices") % values
    return _("%(name)s: %(column)s, a good choice") % values


def _costly_texts(*, counted: bool) -> dict[Quality, str]:
    if not counted:
        return {
            "inaccuracy": _("%(name)s: %(column)s, inaccurate. %(held)s was better"),
            "mistake": _("%(name)s: %(column)s, a mistake. %(held)s held"),
            "blunder": _("%(name)s: %(column)s, a blunder. %(held)s held"),
        }
    return {
        "inaccuracy": _("%(name)s: %(column)s, inaccurate. %(held)s was better; %(percent)s voted for it"),
        "mistake": _("%(name)s: %(column)s, a mistake. %(held)s held; %(percent)s voted for it"),
        "blunder": _("%(name)s: %(column)s, a blunder. %(held)s held; %(percent)s voted for it"),
    }
