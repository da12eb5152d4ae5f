"""What a game is: the contract between the crowd machinery and a set of rules.

In the spirit of simultaneous-move nodes: at every turn one side or both are to move, each
picks one legal action, and the joint action is resolved at once into a new immutable state.
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import msgspec

Side = Literal["red", "yellow"]
Result = Literal["red", "yellow", "draw", "open"]
Lot = Literal["red", "yellow", "lot"]
Cell = tuple[int, int]

SIDES: tuple[Side, Side] = ("red", "yellow")


def other(side: Side) -> Side:
    return "yellow" if side == "red" else "red"


@dataclass(frozen=True, slots=True)
class Picks:
    """A joint action: an action a side, or None for a side that drops nothing."""

    red: int | None = None
    yellow: int | None = None

    def of(self, side: Side) -> int | None:
        return self.red if side == "red" else self.yellow


class Drop(msgspec.Struct, frozen=True):
    """A checker that falls: `column` and `row` count from 1, rows from the bottom.

    `row` is None when the column had no room left: the drop is forfeited.
    """

    side: Side
    column: int
    row: int | None


class Resolution(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a joint action, in the order in which it is to be shown."""

    drops: tuple[Drop, ...]
    conflict: int | None
    token_before: Side | None
    token_after: Side | None
    lines: tuple[tuple[Cell, ...], ...]
    result: Result


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """What anyone may see between two turns.

    `face` names the drawing that shows it; `grid` holds the top row first, one of `.RY` a cell.
    """

    face: Literal["columns"]
    columns: int
    rows: int
    grid: tuple[str, ...]
    token: Side | None
    winning_cells: tuple[Cell, ...]


State = TypeVar("State")


class Game(Protocol[State]):
    """The rules of one game. Every method is a pure function of its arguments.

    `options` is a msgspec Struct type with defaults; its fields are what an organizer chooses.
    """

    @property
    def slug(self) -> str:
        """The name in game records, addresses and entry points."""

    @property
    def title(self) -> str:
        """The name for people."""

    @property
    def options(self) -> type[msgspec.Struct]:
        """See above."""

    def draw_lots(self, options: Any, lot: int) -> msgspec.Struct:
        """Replace what the options leave to the lot by what the non-negative `lot` decides."""

    def start(self, options: Any) -> State:
        """The state before the first turn. Raises BadOptions if a lot is still to be drawn."""

    def to_move(self, state: State) -> tuple[Side, ...]:
        """Who picks now: both sides, one, or none after the end."""

    def legal_actions(self, state: State, side: Side) -> tuple[int, ...]:
        """The actions `side` may pick now, ascending; empty if it is not to move."""

    def resolve(self, state: State, picks: Picks) -> tuple[State, Resolution]:
        """Apply a joint action of legal actions. Raises IllegalPick, and then nothing is applied."""

    def result(self, state: State) -> Result:
        """Who has won, or "open" while the game goes on."""

    def view(self, state: State, side: Side | None) -> Board:
        """What `side` may see (None: a spectator)."""
