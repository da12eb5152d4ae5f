"""Simultaneous Captain's Mistress (Richard Hutnik, 2009), after the IAGO World Tour rule sheet."""

from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from games.engine.errors import BadOptions, IllegalPick
from games.engine.game import GAME_OVER, SIDES, Board, Drop, Lot, Picks, Resolution, Result, Side, other_side
from games.engine.texts import gettext_noop
from games.rules.columns import Grid


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`columns` 6 is the intro game (variant 1); `tie` "other" flips double wins (variant 4)."""

    columns: Literal[7, 6] = 7
    rows: Literal[6] = 6
    token: Lot = "red"
    tie: Literal["holder", "other"] = "holder"


@dataclass(frozen=True, slots=True)
class State:
    grid: Grid
    token: Side
    tie: Literal["holder", "other"]
    result: Result


class SimultaneousCaptainsMistress:
    slug = "simultaneous-captains-mistress"
    title = gettext_noop("Simultaneous Captain's Mistress")
    rules = gettext_noop(
        "Both teams choose a column at once, and both balls drop. In the same column, the token's holder "
        "drops first, the other ball lands on top, and the token changes sides. Four in a row win. If both "
        "teams get four at once, the token's holder wins."
    )
    options = Options

    def draw_lots(self, options: Options, lot: int) -> Options:
        token = SIDES[lot % 2] if options.token == "lot" else options.token
        return msgspec.structs.replace(options, token=token)

    def start(self, options: Options) -> State:
        if options.token == "lot":
            raise BadOptions("the lot for the token is not drawn yet")
        return State(Grid.empty(options.columns, options.rows), options.token, options.tie, "open")

    def to_move(self, state: State) -> tuple[Side, ...]:
        return SIDES if state.result == "open" else ()

    def legal_actions(self, state: State, side: Side) -> tuple[int, ...]:
        return state.grid.open_columns() if side in self.to_move(state) else ()

    def resolve(self, state: State, picks: Picks) -> tuple[State, Resolution]:
        """Drop both balls, judge wins, then pass the initiative token after a conflict (rules 3-5)."""
        _check(state, picks)
        grid, drops = _drop(state, picks)
        winners = {d.side for d in drops if d.row is not None and grid.has_line((d.column, d.row))}
        result = _judge(state, grid, winners)
        conflict = picks.red if picks.red is not None and picks.red == picks.yellow else None
        token = other_side(state.token) if conflict else state.token
        after = replace(state, grid=grid, token=token, result=result)
        return after, Resolution(
            drops=drops,
            conflict=conflict,
            token_before=state.token,
            token_after=token,
            lines=grid.lines(result) if result in SIDES else (),
            losing_lines=grid.lines(other_side(result)) if result in SIDES else (),
            double_win=len(winners) == len(SIDES),
            block=state.grid.find_block(drops),
            result=result,
        )

    def result(self, state: State) -> Result:
        return state.result

    def view(self, state: State, side: Side | None) -> Board:
        won = state.result if state.result in SIDES else None
        return state.grid.board(state.token, won)


GAME = SimultaneousCaptainsMistress()


def _check(state: State, picks: Picks) -> None:
    if state.result != "open":
        raise IllegalPick(GAME_OVER)
    for side in SIDES:
        pick = picks.of(side)
        if pick is not None:
            state.grid.check_pick(pick, side)


def _drop(state: State, picks: Picks) -> tuple[Grid, tuple[Drop, ...]]:
    grid = state.grid
    drops = []
    for side in (state.token, other_side(state.token)):
        column = picks.of(side)
        if column is None:
            continue
        row = None
        if grid.room(column):
            grid = grid.drop(column, side)
            row = grid.height(column)
        drops.append(Drop(side, column, row))
    return grid, tuple(drops)


def _judge(state: State, grid: Grid, winners: set[Side]) -> Result:
    """Judge wins by the sides that completed a line. With the board full and no line, it is a draw.

    A double win goes to the side that held the token before the turn, or by `tie` to the other.
    """
    if len(winners) == len(SIDES):
        return state.token if state.tie == "holder" else other_side(state.token)
    if winners:
        return next(iter(winners))
    return "open" if grid.open_columns() else "draw"
