"""Trails: both heads move at once and leave a wall behind them. A head that runs into anything loses."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import msgspec

from games.engine.game import (
    SIDES,
    Board,
    Cell,
    Drawing,
    Mark,
    Picks,
    Resolution,
    Result,
    Side,
    check_picks,
    other_side,
)
from games.engine.texts import GameText, gettext_noop

STEPS: tuple[Cell, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))
ARROWS = ("↑", "→", "↓", "←")
FIELDS: dict[str, Cell] = {"small": (9, 7), "large": (13, 9)}
PITCH, EDGE = 100, 60


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    field: Annotated[
        Literal["small", "large"],
        msgspec.Meta(
            title=gettext_noop("Size of the field"),
            extra={
                "small": gettext_noop("Small: 9 by 7 squares"),
                "large": gettext_noop("Large: 13 by 9 squares"),
            },
        ),
    ] = "small"


@dataclass(frozen=True, slots=True)
class State:
    """Cells count from 1 from the upper left.

    A trail's last cell is its head, which moves in direction `going`.
    """

    size: Cell
    trails: tuple[tuple[Cell, ...], tuple[Cell, ...]]
    going: tuple[int, int] = (2, 4)
    result: Result = "open"

    def trail(self, side: Side) -> tuple[Cell, ...]:
        """Return the cells of the side's trail, oldest first."""
        return self.trails[SIDES.index(side)]


class Trails:
    slug = "trails"
    # Translators: a game in which two heads leave a wall behind them.
    title = gettext_noop("Trails")
    rules = gettext_noop(
        "Both heads move one step at once: up, right, down or left, never back. They leave a wall behind "
        "them. A team that hits a wall or leaves the field loses. If both do so at once, it is a draw."
    )
    options = Options

    def draw_lots(self, options: Options, lot: int) -> Options:
        return options

    def start(self, options: Options) -> State:
        width, height = FIELDS[options.field]
        row = (height + 1) // 2
        return State((width, height), (((2, row),), ((width - 1, row),)))

    def to_move(self, state: State) -> tuple[Side, ...]:
        return SIDES if state.result == "open" else ()

    def legal_actions(self, state: State, side: Side) -> tuple[int, ...]:
        """Return all directions except backwards."""
        if side not in self.to_move(state):
            return ()
        back = (state.going[SIDES.index(side)] + 1) % 4 + 1
        return tuple(way for way in range(1, 5) if way != back)

    def resolve(self, state: State, picks: Picks) -> tuple[State, Resolution]:
        """Move both heads one step; without a pick a head goes straight on.

        Heads that meet have both crashed.
        """
        check_picks(self, state, picks)
        going = (picks.red or state.going[0], picks.yellow or state.going[1])
        steps = zip(state.trails, (STEPS[way - 1] for way in going), strict=True)
        heads = tuple((trail[-1][0] + step[0], trail[-1][1] + step[1]) for trail, step in steps)
        crashed = [side for side, head in zip(SIDES, heads, strict=True) if _hits(state, head, heads)]
        result: Result = "open" if not crashed else other_side(crashed[0]) if len(crashed) == 1 else "draw"
        trails = (*state.trails[0], heads[0]), (*state.trails[1], heads[1])
        after = replace(state, trails=trails, going=going, result=result)
        sentences = _describe(going, crashed)
        return after, Resolution(result=result, sentences=sentences, before=_draw(state))

    def result(self, state: State) -> Result:
        return state.result

    def view(self, state: State, side: Side | None) -> Board:
        return Board(kind="drawn", columns=4, choices=ARROWS, drawing=_draw(state))


GAME = Trails()


def _hits(state: State, head: Cell, heads: tuple[Cell, ...]) -> bool:
    inside = 1 <= head[0] <= state.size[0] and 1 <= head[1] <= state.size[1]
    return not inside or head in state.trails[0] + state.trails[1] or len(set(heads)) == 1


def _describe(going: tuple[int, int], crashed: list[Side]) -> tuple[str, ...]:
    red, yellow = (ARROWS[way - 1] for way in going)
    moved = GameText("%(red)s: %(red_way)s, %(yellow)s: %(yellow_way)s.", red_way=red, yellow_way=yellow)
    if len(crashed) == len(SIDES):
        return moved, GameText("%(red)s and %(yellow)s ran into a wall.")
    return moved, *(GameText("%(team)s ran into a wall.", team=f"{{{side}}}") for side in crashed)


def _draw(state: State) -> Drawing:
    width, height = (PITCH * cells + 2 * EDGE for cells in state.size)
    marks = [mark for side in SIDES for mark in _trail(state, side)]
    red, yellow = (state.trail(side)[-1] for side in SIDES)
    words = GameText(
        "%(red)s: column %(red_column)s, row %(red_row)s. "
        "%(yellow)s: column %(yellow_column)s, row %(yellow_row)s. Rows count from the top.",
        red_column=red[0],
        red_row=red[1],
        yellow_column=yellow[0],
        yellow_row=yellow[1],
    )
    grid_lines = (_grid_lines(state.size, "rows"), _grid_lines(state.size, "columns"))
    return Drawing(width=width, height=height, marks=(*grid_lines, *marks), words=words)


def _grid_lines(size: Cell, name: Literal["rows", "columns"]) -> Mark:
    """Return the field's lines in one direction, as a single stroke that turns at the edges."""
    long, lines = size if name == "rows" else size[::-1]
    ends = [
        (EDGE + PITCH * long * ((n + end) % 2), EDGE + PITCH * n) for n in range(lines + 1) for end in (0, 1)
    ]
    points = tuple(ends if name == "rows" else ((y, x) for x, y in ends))
    return Mark(name=name, kind="path", x=0, y=0, width=5, height=5, points=points)


def _trail(state: State, side: Side) -> list[Mark]:
    """Return the trail as a path and its head as a ball. A head off the field is drawn over the edge."""
    cells = [_middle(cell) for cell in state.trail(side)]
    x, y = cells[-1]
    lost = state.result not in ("open", side)
    path = Mark(
        name=f"{side} trail", kind="path", x=0, y=0, width=56, height=56, side=side, points=tuple(cells)
    )
    return [path, Mark(name=f"{side} head", kind="ball", x=x, y=y, width=88, height=88, side=side, gone=lost)]


def _middle(cell: Cell) -> Cell:
    return EDGE + PITCH * cell[0] - PITCH // 2, EDGE + PITCH * cell[1] - PITCH // 2
