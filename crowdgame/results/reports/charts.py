"""SVG charts of a match report, drawn from numbers without names. Their colors are in `paper.css`."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby

from crowdgame.results.reports.match_report import SideVote
from games.engine.game import SIDES, Side
from games.engine.texts import gettext_noop

WIDTH, HEIGHT = 360, 160
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 14, 24
VOTES_HEIGHT = HEIGHT - BOTTOM - TOP - 8
MAX_LABELS = 8
MIN_OUTLINE = 0.005  # less rounds to 0%
SECONDS = gettext_noop("%(number)s s")
UNITS = (
    (86_400_000, gettext_noop("%(number)s d")),
    (3_600_000, gettext_noop("%(number)s h")),
    (60_000, gettext_noop("%(number)s min")),
)

Values = Sequence[float | None]


def draw_lines(
    description: str,
    series: Mapping[Side, Values],
    top: float,
    marked: int | None = None,
    unit: str = "%(number)s",
) -> str:
    """Draw a line per side with one value per turn; None leaves a gap.

    `top` is the highest value of the axis, `unit` the format of its labels. `marked` is a turn to mark with a
    vertical line. `description` is the text for screen readers.
    """
    turns = max(map(len, series.values()))
    lines = "".join(_line(side, values, top) for side, values in series.items())
    return _chart(description, f"{_grid(top, unit)}{_turn_labels(turns)}{_mark(marked, turns)}{lines}")


def draw_bars(description: str, values: Values, unit: str) -> str:
    """Draw a bar per turn; None leaves a gap. `unit` is the format of the axis labels."""
    top = round_up(max((value for value in values if value is not None), default=1))
    width = min(28.0, 0.7 * (WIDTH - LEFT - RIGHT) / len(values))
    bars = (
        f'<rect class="bar" x="{_x(i, len(values)) - width / 2:.1f}" y="{_y(value, top):.1f}" '
        f'width="{width:.1f}" height="{_y(0, top) - _y(value, top):.1f}"/>'
        for i, value in enumerate(values)
        if value is not None
    )
    return _chart(description, f"{_grid(top, unit)}{_turn_labels(len(values))}{''.join(bars)}")


def draw_votes(
    description: str,
    votes: Mapping[Side, SideVote],
    choices: Sequence[str],
    mixes: Mapping[Side, Sequence[float]] | None = None,
) -> str:
    """Draw each choice's share of the votes in one turn, side by side. Highlights the picks.

    `mixes` are drawn as outlines behind: the share of each choice in a perfect mix.
    """
    mixes = mixes or {}
    highest = max(
        (max(shares, default=0) for shares in (*map(_shares, votes.values()), *mixes.values())), default=0
    )
    highest = highest or 1
    step = WIDTH / len(choices)
    parts = [
        _outline(side, share, highest, (column - 0.5) * step)
        for side, shares in mixes.items()
        for column, share in enumerate(shares, 1)
        if share >= MIN_OUTLINE
    ]
    parts += [
        _share(side, share, highest, (column - 0.5) * step, vote.pick == column)
        for side, vote in votes.items()
        for column, share in enumerate(_shares(vote), 1)
    ]
    numbers = (
        f'<text class="column" x="{(column - 0.5) * step:.1f}" y="{HEIGHT - 6}">{escape(name)}</text>'
        for column, name in enumerate(choices, 1)
    )
    return _chart(
        description,
        f'<path class="grid" d="M0 {HEIGHT - BOTTOM}H{WIDTH}"/>{"".join(parts)}{"".join(numbers)}',
    )


def _shares(vote: SideVote) -> list[float]:
    return [count / vote.most_votes if vote.ballots else 0 for count in vote.counts]


def _outline(side: Side, share: float, highest: float, middle: float) -> str:
    height = share / highest * VOTES_HEIGHT
    x, y = middle + (-21 if side == "red" else 1), HEIGHT - BOTTOM - height
    return f'<rect class="mix {side}" x="{x:.1f}" y="{y:.1f}" width="20" height="{height:.1f}"/>'


def _share(side: Side, share: float, highest: float, middle: float, picked: bool) -> str:
    height = share / highest * VOTES_HEIGHT
    x, y = middle + (-21 if side == "red" else 1), HEIGHT - BOTTOM - height
    kind = f"{side} picked" if picked else side
    bar = f'<rect class="votes {kind}" x="{x:.1f}" y="{y:.1f}" width="20" height="{height:.1f}"/>'
    if not share:
        return bar if height else ""
    wider = (-3 if side == "red" else 3) if share >= 1 - MIN_OUTLINE else 0
    return f'{bar}<text class="share" x="{x + 10 + wider:.1f}" y="{y - 4:.1f}">{round(100 * share)}</text>'


def round_up(value: float) -> float:
    """Round up to an axis end that halves well: 2, 4, 10, 20, 40, 100 and so on."""
    size = 1.0
    while True:
        for step in (2, 4, 10):
            if step * size >= value:
                return step * size
        size *= 10


def fitting_unit(longest_ms: int) -> tuple[int, str]:
    """Return the milliseconds of a suitable unit and the format of a label, for values up to `longest_ms`."""
    for size, unit in UNITS:
        if longest_ms >= 2 * size:
            return size, unit
    return 1000, SECONDS


def _chart(description: str, drawn: str) -> str:
    size = f"0 0 {WIDTH} {HEIGHT}"
    return f'<svg class="chart" viewBox="{size}" role="img" aria-label="{escape(description)}">{drawn}</svg>'


def _x(index: int, turns: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (index + 0.5) / turns


def _y(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top


def _grid(top: float, unit: str) -> str:
    return "".join(
        f'<path class="grid" d="M{LEFT} {_y(value, top):.1f}H{WIDTH - RIGHT}"/>'
        f'<text class="scale" x="{LEFT - 5}" y="{_y(value, top) + 4:.1f}">'
        f"{escape(unit % {'number': f'{value:g}'})}</text>"
        for value in (0, top / 2, top)
    )


def _turn_labels(turns: int) -> str:
    step = -(-turns // MAX_LABELS)
    return "".join(
        f'<text x="{_x(number - 1, turns):.1f}" y="{HEIGHT - 6}">{number}</text>'
        for number in range(1, turns + 1)
        if number == 1 or (number % step == 0 and number > 1)
    )


def _mark(turn: int | None, turns: int) -> str:
    if turn is None:
        return ""
    return f'<path class="mark" d="M{_x(turn - 1, turns):.1f} {TOP - 6}V{HEIGHT - BOTTOM}"/>'


def _line(side: Side, values: Values, top: float) -> str:
    points = [None if v is None else (_x(i, len(values)), _y(v, top)) for i, v in enumerate(values)]
    runs = "".join(_run(list(run)) for there, run in groupby(points, bool) if there)
    dots = "".join(_dot(side, *point) for point in points if point)
    return f'<path class="line {side}" d="{runs}"/>{dots}'


def _run(points: Sequence[tuple[float, float] | None]) -> str:
    return "M" + "L".join(f"{point[0]:.1f} {point[1]:.1f}" for point in points if point)


def _dot(side: Side, x: float, y: float) -> str:
    if side == SIDES[0]:
        return f'<circle class="dot red" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    return f'<path class="dot yellow" d="M{x:.1f} {y - 5:.1f}l5 8.5h-10z"/>'
