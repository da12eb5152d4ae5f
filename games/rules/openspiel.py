"""Two-player games of OpenSpiel without chance and with few actions, drawn as OpenSpiel's own text.

Requires the extra `openspiel`. Player 0 is red.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

import msgspec
import pyspiel

from games.engine.game import (
    SIDES,
    Board,
    Drawing,
    Mark,
    Picks,
    Resolution,
    Result,
    Side,
    check_picks,
)
from games.engine.texts import gettext_noop

WIDTH, HEIGHT, MARGIN = 60, 90, 40
# The parts of action names that depend on the side or the position.
SIDE_OR_POSITION = re.compile("^(x|P1|Choose local board )")
Name = Literal[
    "tic_tac_toe", "connect_four", "dots_and_boxes", "mancala", "oware", "ultimate_tic_tac_toe", "matrix_rps"
]


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`name` is the game's name in OpenSpiel."""

    name: Annotated[Name, msgspec.Meta(title=gettext_noop("Game"))] = "tic_tac_toe"


@dataclass(frozen=True, slots=True)
class State:
    """`position` is never modified; moves apply to a copy."""

    name: Name
    position: Any


class OpenSpiel:
    slug = "openspiel"
    title = gettext_noop("A game of OpenSpiel")
    rules = ""
    options = Options

    def draw_lots(self, options: Options, lot: int) -> Options:
        return options

    def start(self, options: Options) -> State:
        return State(options.name, _game(options.name).new_initial_state())

    def to_move(self, state: State) -> tuple[Side, ...]:
        if state.position.is_terminal():
            return ()
        return SIDES if state.position.is_simultaneous_node() else (SIDES[state.position.current_player()],)

    def legal_actions(self, state: State, side: Side) -> tuple[int, ...]:
        """Return the legal actions, counted from 1; OpenSpiel counts from 0."""
        if side not in self.to_move(state):
            return ()
        return tuple(sorted(action + 1 for action in state.position.legal_actions(SIDES.index(side))))

    def resolve(self, state: State, picks: Picks) -> tuple[State, Resolution]:
        """Apply the picks. If a side to move does not pick, the position stays the same."""
        check_picks(self, state, picks)
        movers = self.to_move(state)
        chosen = {side: pick for side in movers if (pick := picks.of(side)) is not None}
        position = state.position.clone()
        if len(chosen) == len(movers):
            _apply(position, [pick - 1 for pick in chosen.values()])
        after = State(state.name, position)
        sentences = tuple(f"{{{side}}}: {_action_name(state, side, pick)}." for side, pick in chosen.items())
        return after, Resolution(result=self.result(after), sentences=sentences, before=_draw(state))

    def result(self, state: State) -> Result:
        if not state.position.is_terminal():
            return "open"
        red, yellow = state.position.returns()
        return "draw" if red == yellow else "red" if red > yellow else "yellow"

    def view(self, state: State, side: Side | None) -> Board:
        names = _choices(state.name)
        return Board(kind="drawn", columns=len(names), choices=names, drawing=_draw(state))


GAME = OpenSpiel()


@cache
def _game(name: Name) -> Any:
    return pyspiel.load_game(name)


@cache
def _choices(name: Name) -> tuple[str, ...]:
    """Return names of the actions that suit both sides in all positions."""
    start = _game(name).new_initial_state()
    names = [start.action_to_string(0, action) for action in range(_game(name).num_distinct_actions())]
    return tuple(SIDE_OR_POSITION.sub("", name) for name in names)


def _apply(position: Any, actions: list[int]) -> None:
    if position.is_simultaneous_node():
        position.apply_actions(actions)
    elif actions:
        position.apply_action(actions[0])


def _action_name(state: State, side: Side, action: int) -> str:
    return str(state.position.action_to_string(SIDES.index(side), action - 1))


def _draw(state: State) -> Drawing:
    """Draw OpenSpiel's text for the position, one mark per character."""
    lines = str(state.position).splitlines() or [""]
    chars = [(row, column, char) for row, line in enumerate(lines) for column, char in enumerate(line)]
    marks = tuple(_text_mark(row, column, char) for row, column, char in chars if char != " ")
    width = max(map(len, lines)) * WIDTH + 2 * MARGIN
    return Drawing(width=width, height=len(lines) * HEIGHT + 2 * MARGIN, marks=marks, words="\n".join(lines))


def _text_mark(row: int, column: int, char: str) -> Mark:
    x, y = MARGIN + column * WIDTH + WIDTH // 2, MARGIN + row * HEIGHT + HEIGHT // 2
    name = f"{row} {column} {char}"
    return Mark(name=name, kind="text", x=x, y=y, width=WIDTH, height=HEIGHT, text=char)
