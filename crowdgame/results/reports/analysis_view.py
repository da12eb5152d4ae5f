"""View model of the analysis in a match report, in the active language. Numbers are percentage points."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from crowdgame.results.analysis.analyzed_turn import AnalyzedSide, AnalyzedTurn, Crowd
from crowdgame.results.analysis.crowd_wisdom import Answer, Wisdom, measure_wisdom
from crowdgame.results.reports.charts import draw_lines
from crowdgame.results.reports.sentences import format_percent
from games.engine.game import SIDES, Side
from games.solver.judgment import Quality
from games.solver.solution import Solution

BAR_WIDTH = 1000
LEVELS = 5  # shades of each side's color in the matrix
NEVER = 0.005  # a chance that rounds to 0%


@dataclass(frozen=True, slots=True)
class SideRow:
    """What a side's pick and votes were worth; "" where there is nothing to say."""

    side: Side
    name: str
    pick: str
    quality: Quality | None
    label: str
    loss: str
    hindsight: str
    mean_loss: str
    gain: str
    exploitability: str


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A pair of columns. `level` is the shade: above 0 of red's color, below 0 of yellow's."""

    text: str
    level: int
    is_played: bool


@dataclass(frozen=True, slots=True)
class MatrixRow:
    column: str
    chance: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class AnalysisView:
    """The analysis of a turn.

    `before` and `after` are red's winning chance, as text and as the x of a bar that is 1000 wide. The change
    between them has an x and a width there. `head` has
    yellow's columns and how often a perfect mix plays each. `depth` is 0 if the analysis is exact, otherwise
    `margin` is how far it may be off.
    """

    before: str
    after: str
    swing: str
    before_x: int
    after_x: int
    change_x: int
    change_width: int
    sides: tuple[SideRow, ...]
    head: tuple[tuple[str, str], ...]
    rows: tuple[MatrixRow, ...]
    depth: int
    margin: str


@dataclass(frozen=True, slots=True)
class WisdomRow:
    side: Side
    name: str
    turns: int
    mean_loss: str
    pick_loss: str
    gain: str
    margin: str
    answer: str


def view_analysis(analysis: AnalyzedTurn, teams: Mapping[Side, str]) -> AnalysisView:
    solution = analysis.solution
    before = _chance(solution.value)
    after = None if analysis.after is None else _chance(analysis.after)
    before_x = round(BAR_WIDTH * before)
    after_x = before_x if after is None else round(BAR_WIDTH * after)
    return AnalysisView(
        before=format_percent(100 * before),
        after="" if after is None else format_percent(100 * after),
        swing="" if after is None else format_points(after - before, signed=True),
        before_x=before_x,
        after_x=after_x,
        change_x=min(before_x, after_x),
        change_width=abs(after_x - before_x),
        sides=tuple(_side_row(side, teams[side], judged) for side, judged in analysis.sides.items()),
        head=tuple(_head(solution)),
        rows=tuple(_matrix_rows(analysis)),
        depth=0 if solution.is_exact else solution.depth,
        margin=number_format(round(100 * solution.margin)),
    )


def _chance(value: float) -> float:
    return (1 + value) / 2


def format_points(share: float, *, signed: bool = False) -> str:
    """Return a share of winning chance in percentage points, with one decimal."""
    points = round(100 * share, 1) + 0.0
    sign = "+" if signed and points > 0 else ""
    return sign + number_format(abs(points) if points >= 0 else points, decimal_pos=1).replace("-", "\u2212")


def _optional_points(share: float | None, *, signed: bool = False) -> str:
    return "" if share is None else format_points(share, signed=signed)


def _side_row(side: Side, name: str, judged: AnalyzedSide) -> SideRow:
    crowd = judged.crowd
    return SideRow(
        side=side,
        name=name,
        pick=str(judged.pick or ""),
        quality=judged.quality,
        label=quality_labels()[judged.quality] if judged.quality else "",
        loss=_optional_points(judged.loss),
        hindsight=_optional_points(judged.hindsight),
        mean_loss=_optional_points(crowd.mean_loss if crowd else None),
        gain=_optional_points(crowd.gain if crowd else None, signed=True),
        exploitability=_optional_points(crowd.exploitability if crowd else None),
    )


def quality_labels() -> dict[Quality, str]:
    return {
        "best": pgettext("class of a choice", "Best"),
        "good": pgettext("class of a choice", "Good"),
        "inaccuracy": pgettext("class of a choice", "Inaccuracy"),
        "mistake": pgettext("class of a choice", "Mistake"),
        "blunder": pgettext("class of a choice", "Blunder"),
    }


def _head(solution: Solution) -> Iterator[tuple[str, str]]:
    if not solution.yellow_mix:
        yield "", ""
    for column, chance in enumerate(solution.yellow_mix, 1):
        yield str(column), _mix_text(chance)


def _mix_text(chance: float) -> str:
    return format_percent(100 * chance) if chance >= NEVER else ""


def _matrix_rows(analysis: AnalyzedTurn) -> Iterator[MatrixRow]:
    solution = analysis.solution
    mix = solution.red_mix or (0.0,)
    for number, values in enumerate(solution.matrix, 1):
        cells = tuple(_cell(analysis, number, column, value) for column, value in enumerate(values, 1))
        yield MatrixRow(str(number) if solution.red_mix else "", _mix_text(mix[number - 1]), cells)


def _cell(analysis: AnalyzedTurn, row: int, column: int, value: float | None) -> MatrixCell:
    played = _played(analysis, "red", row) and _played(analysis, "yellow", column)
    if value is None:
        return MatrixCell("", 0, is_played=False)
    return MatrixCell(str(round(100 * _chance(value))), round(LEVELS * value), played)


def _played(analysis: AnalyzedTurn, side: Side, column: int) -> bool:
    """Whether the side picked the column. True for a side that was not to move at all."""
    judged = analysis.sides.get(side)
    return not analysis.mix(side) if judged is None else judged.pick == column


def draw_chances(
    description: str, analyses: Mapping[int, AnalyzedTurn], turns: int, marked: int | None
) -> str:
    """Draw red's winning chance after each turn, in percent."""
    after = [analyses[number].after if number in analyses else None for number in range(1, turns + 1)]
    values = [None if value is None else 100 * _chance(value) for value in after]
    return draw_lines(description, {"red": values}, 100, marked, _("%(number)s%%"))


def view_wisdom(crowds: Mapping[Side, Sequence[Crowd]], teams: Mapping[Side, str]) -> tuple[WisdomRow, ...]:
    """Return a row per team that voted in an analyzed turn."""
    measured = {side: measure_wisdom(crowds.get(side, ())) for side in SIDES}
    return tuple(_wisdom_row(side, teams[side], wisdom) for side, wisdom in measured.items() if wisdom)


def _wisdom_row(side: Side, name: str, wisdom: Wisdom) -> WisdomRow:
    answers: dict[Answer, str] = {
        "yes": pgettext("wiser than the average member", "Yes"),
        "no": pgettext("wiser than the average member", "No"),
        "unclear": pgettext("wiser than the average member", "Unclear"),
        "too few turns": pgettext("wiser than the average member", "Too few turns"),
    }
    return WisdomRow(
        side=side,
        name=name,
        turns=wisdom.turns,
        mean_loss=format_points(wisdom.mean_loss),
        pick_loss=format_points(wisdom.pick_loss),
        gain=format_points(wisdom.gain, signed=True),
        margin=_optional_points(wisdom.margin),
        answer=answers[wisdom.answer],
    )


def match_crowds(analyses: Mapping[int, AnalyzedTurn]) -> dict[Side, list[Crowd]]:
    """Return the judged crowds of each side over a match's turns."""
    found: dict[Side, list[Crowd]] = {side: [] for side in SIDES}
    for analysis in analyses.values():
        for side, judged in analysis.sides.items():
            if judged.crowd:
                found[side].append(judged.crowd)
    return found
