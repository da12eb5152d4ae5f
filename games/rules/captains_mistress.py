"""The Captain's Mistress, the alternating classic (Traditional Board Game Series, leaflet 52)."""

from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Literal

import msgspec

from games.engine.errors import BadOptions, IllegalPick
from games.engine.game import GAME_OVER, SIDES, Board, Drop, Lot, Picks, Resolution, Result, Side, other_side
from games.engine.texts import gettext_noop
from games.rules.columns import Grid


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`first` moves first: drawn by lot unless chosen (rule 2)."""

    columns: Literal[7, 6] = 7
    rows: Literal[6] = 6
    first: Lot = "lot"


@dataclass(frozen=True, slots=True)
class State:
    grid: Grid
    mover: Side
    result: Result


class CaptainsMistress:
    slug = "captains-mistress"
    title = gettext_noop("Captain's Mistress")
    rules = gettext_noop(
        "Teams take turns to drop a ball into a column. The first team with four in a row wins."
    )
    options = Options

    def draw_lots(self, options: Options, lot: int) -> Options:
        first = SIDES[lot % 2] if options.first == "lot" else options.first
        return msgspec.structs.replace(options, first=first)

    def start(self, options: Options) -> State:
        if options.first == "lot":
            raise BadOptions("the lot for who begins is not drawn yet")
        return State(Grid.empty(options.columns, options.rows), options.first, "open")

    def to_move(self, state: State) -> tuple[Side, ...]:
        return (state.mover,) if state.result == "open" else ()

    def legal_actions(self, state: State, side: Side) -> tuple[int, ...]:
        return state.grid.open_columns() if side in self.to_move(state) else ()

    def resolve(self, state: State, picks: Picks) -> tuple[State, Resolution]:
        """Drop the mover's ball. Without a pick, the turn passes to the other side."""
        _check(state, picks)
        column = picks.of(state.mover)
        grid = state.grid
        drops: tuple[Drop, ...] = ()
        if column is not None:
            grid = grid.drop(column, state.mover)
            drops = (Drop(state.mover, column, grid.height(column)),)
        result = _find_winner(grid, drops)
        after = State(grid, other_side(state.mover), result)
        lines = grid.lines(result) if result in SIDES else ()
        return after, Resolution(drops=drops, lines=lines, block=state.grid.find_block(drops), result=result)

    def result(self, state: State) -> Result:
        return state.result

    def view(self, state: State, side: Side | None) -> Board:
        won = state.result if state.result in SIDES else None
        return state.grid.board(None, won)


GAME = CaptainsMistress()


def _check(state: State, picks: Picks) -> None:
    if state.result != "open":
        raise IllegalPick(GAME_OVER)
    for side in SIDES:
        pick = picks.of(side)
        if pick is None:
            continue
        if side != state.mover:
            raise IllegalPick(f"{side} picks {short_repr(pick)}: it is not {side}'s turn")
        state.grid.check_pick(pick, side)


def _find_winner(grid: Grid, drops: tuple[Drop, ...]) -> Result:
    """Judge wins. With the board full and no line, it is a draw."""
    for drop in drops:
        if drop.row is not None and grid.has_line((drop.column, drop.row)):
            return drop.side
    return "open" if grid.open_columns() else "draw"
