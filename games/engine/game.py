"""The game protocol: the contract between the voting machinery and a set of rules.

It follows the simultaneous-move nodes of game theory. At every turn one or both sides are to move, each picks
a legal action, and the joint action is resolved into a new immutable state.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

import msgspec

from games.engine.errors import IllegalPick

Side = Literal["red", "yellow"]
"""A side of a match.

Values:
    red: Plays the red pieces.
    yellow: Plays the yellow pieces.
"""

Result = Literal["red", "yellow", "draw", "open"]
"""The result of a match.

Values:
    red: Red has won.
    yellow: Yellow has won.
    draw: A draw.
    open: The match has not ended.
"""

Lot = Literal["red", "yellow", "lot"]
Vote = Literal["concealed", "open"]
"""How a turn is voted, if not in secret until its own reveal.

Values:
    concealed: Secret until the following turn is revealed.
    open: Everyone sees the votes as they arrive.
"""

Cell = tuple[int, int]

SIDES: tuple[Side, Side] = ("red", "yellow")
GAME_OVER = "the game is over"


def other_side(side: Side) -> Side:
    """Return the opponent of `side`."""
    return "yellow" if side == "red" else "red"


@dataclass(frozen=True, slots=True)
class Picks:
    """A joint action: one action per side, or None for a side that does not move."""

    red: int | None = None
    yellow: int | None = None

    def of(self, side: Side) -> int | None:
        """Return the pick of `side`."""
        return self.red if side == "red" else self.yellow


class Drop(msgspec.Struct, frozen=True):
    """A piece that falls.

    Attributes:
        side: The piece's side.
        column: The column, from 1.
        row: The row, from 1 at the bottom. Null: the column had no room, and the drop is forfeited.
    """

    side: Side
    column: int
    row: int | None


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """One object of a drawing. The same `name` in the next drawing is the same object, moved.

    Attributes:
        name: Identifies the object.
        kind: Its shape.
        x: Its center, from the left.
        y: Its center, from the top.
        width: Its width; for a `path` the stroke width. A `ball` is as wide as it is high.
        height: Its height; for a `text` the font size.
        side: The side it belongs to.
        text: Text on it.
        points: Points of a `path`, relative to its center.
        lit: Highlighted.
        gone: Faded.
    """

    name: str
    kind: Literal["ball", "card", "block", "text", "path"]
    x: int
    y: int
    width: int
    height: int
    side: Side | None = None
    text: str = ""
    points: tuple[tuple[int, int], ...] = ()
    lit: bool = False
    gone: bool = False


class Drawing(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of a board.

    Attributes:
        width: Width of the coordinate system.
        height: Height of the coordinate system.
        marks: Objects from back to front.
        words: Text alternative, with the placeholders `{red}` and `{yellow}` for the team names.
    """

    width: int
    height: int
    marks: tuple[Mark, ...]
    words: str


class Resolution(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a turn's picks.

    A board of the kind `drawn` uses `sentences`, `before` and `result`; the other fields are for `columns`.

    Attributes:
        drops: Pieces in the order in which they fall.
        conflict: The column that both sides picked.
        token_before: The side that held the initiative token before.
        token_after: The side that holds it now.
        lines: The winner's lines, each a list of [column, row].
        losing_lines: The lines of the side that loses, if both sides completed one.
        double_win: Both sides completed a line, and the initiative token decided the match.
        block: The drop that took the cell in which the other side would have won.
        result: The result after this turn.
        sentences: What happened, in the game's words, with the placeholders `{red}` and `{yellow}`.
        before: The drawing before the turn.
    """

    drops: tuple[Drop, ...] = ()
    conflict: int | None = None
    token_before: Side | None = None
    token_after: Side | None = None
    lines: tuple[tuple[Cell, ...], ...] = ()
    losing_lines: tuple[tuple[Cell, ...], ...] = ()
    double_win: bool = False
    block: Drop | None = None
    result: Result
    sentences: tuple[str, ...] = ()
    before: Drawing | None = None


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """The public view of the board between two turns.

    It never shows the pick of a concealed turn.

    Attributes:
        kind: How to render it: a grid of columns, or the game's own drawing.
        columns: Choices are 1 to this number.
        rows: Rows of the grid.
        grid: Rows of the grid, top row first, one of `.RY` per cell.
        token: The side that holds the initiative token, in a game that has one.
        winning_cells: Every cell of the winner's lines as [column, row]. Rows count from the bottom.
        losing_cells: The same of the side that loses, if both sides completed a line.
        choices: Names of the choices, for the kind `drawn`.
        drawing: The drawing, for the kind `drawn`.
        vote: How the next turn is voted. Null: in secret until its own reveal.
    """

    kind: Literal["columns", "drawn"]
    columns: int
    rows: int = 0
    grid: tuple[str, ...] = ()
    token: Side | None = None
    winning_cells: tuple[Cell, ...] = ()
    losing_cells: tuple[Cell, ...] = ()
    choices: tuple[str, ...] = ()
    drawing: Drawing | None = None
    vote: Vote | None = None

    def action_name(self, action: int) -> str:
        """Return the name of an action: one of `choices`, otherwise its number."""
        return self.choices[action - 1] if self.choices else str(action)


State = TypeVar("State")


@runtime_checkable
class Game(Protocol[State]):
    """The rules of one game. Every method is a pure function of its arguments.

    `options` is a msgspec Struct type with defaults; its fields are what an organizer chooses. The texts of a
    game are in English and translated where they are shown: mark them with `gettext_noop` or `GameText`.
    """

    @property
    def slug(self) -> str:
        """The name in game records, URLs and entry points."""

    @property
    def title(self) -> str:
        """The name shown to users, in English."""

    @property
    def rules(self) -> str:
        """The rules in two or three sentences, all that a new player needs, in English.

        Empty if they have a page of their own.
        """

    @property
    def options(self) -> type[msgspec.Struct]:
        """The Struct type of the options."""

    def draw_lots(self, options: Any, lot: int) -> msgspec.Struct:
        """Return the options with everything left to the lot decided by the non-negative integer `lot`."""

    def start(self, options: Any) -> State:
        """Return the state before the first turn. Raises BadOptions if a lot has not been drawn."""

    def to_move(self, state: State) -> tuple[Side, ...]:
        """Return the sides to move: both, one, or none after the end."""

    def legal_actions(self, state: State, side: Side) -> tuple[int, ...]:
        """Return the legal actions (legal moves) of `side` in ascending order; empty if it is not to move."""

    def resolve(self, state: State, picks: Picks) -> tuple[State, Resolution]:
        """Apply a joint action.

        Raises IllegalPick for an illegal action, and for any turn after the end, even one without picks.
        """

    def result(self, state: State) -> Result:
        """Return the winner or "draw", or "open" while the game goes on."""

    def view(self, state: State, side: Side | None) -> Board:
        """Return the board without information hidden from `side`; None is a spectator.

        Its `columns` and `choices` are the same in all positions of a match.
        """


def insert_team_names(sentence: str, names: Mapping[Side, str]) -> str:
    """Replace the placeholders `{red}` and `{yellow}` in a game's sentence by the teams' names."""
    for side in SIDES:
        sentence = sentence.replace(f"{{{side}}}", names[side])
    return sentence


def check_picks(game: Game[State], state: State, picks: Picks) -> None:
    """Raise IllegalPick if the game is over or a pick is not legal."""
    if not game.to_move(state):
        raise IllegalPick(GAME_OVER)
    for side in SIDES:
        pick = picks.of(side)
        legal = type(pick) is int and pick in game.legal_actions(state, side)
        if pick is not None and not legal:
            raise IllegalPick(f"{side} picks {short_repr(pick)}: it cannot do that now")
