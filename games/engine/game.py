"""What a game is: the contract between the crowd machinery and a set of rules.

In the spirit of simultaneous-move nodes: at every turn one side or both are to move, each
picks one legal action, and the joint action is resolved at once into a new immutable state.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Any, Literal, Protocol, TypeVar

import msgspec

from games.engine.errors import IllegalPick

Side = Literal["red", "yellow"]
Result = Literal["red", "yellow", "draw", "open"]
Lot = Literal["red", "yellow", "lot"]
Vote = Literal["concealed", "open"]
Cell = tuple[int, int]

SIDES: tuple[Side, Side] = ("red", "yellow")
GAME_OVER = "the game is over"


def other_side(side: Side) -> Side:
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


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """One thing on a drawing; the thing that has its `name` in the next drawing is the same, moved.

    `x` and `y` are its middle, from the upper left. A `card` and a `block` are of `width` and `height`, a
    `ball` is as wide as it is high, a `text` as high as its letters; a `path` leads through `points`, seen
    from its middle, in a stroke of `width`. Without a `side` it is nobody's. What is `lit` stands out, what
    is `gone` is faint.
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
    """A picture of `width` to `height`, its marks from back to front; `words` say all that is in it."""

    width: int
    height: int
    marks: tuple[Mark, ...]
    words: str


class Resolution(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a joint action, in the order in which it is to be shown.

    A game of the face `drawn` has `before`, the drawing of the board that was, and `sentences`, what happened
    in sentences, in which `{red}` and `{yellow}` stand for the teams' names; the rest is for `columns`.
    """

    drops: tuple[Drop, ...] = ()
    conflict: int | None = None
    token_before: Side | None = None
    token_after: Side | None = None
    lines: tuple[tuple[Cell, ...], ...] = ()
    result: Result
    sentences: tuple[str, ...] = ()
    before: Drawing | None = None


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """What anyone may see between two turns.

    `face` names what shows it. Actions are 1 to `columns`. Of the face `columns` they are the columns of
    `grid`, which holds the top row first, one of `.RY` a cell. A board of the face `drawn` has none of it,
    but a `drawing`, and in `choices` what each action is called. `vote` is how the next turn is voted. None:
    in secret until it is revealed. `concealed`: it stays secret until the turn after it is revealed, which
    tells both; the board must not show its pick. `open`: everybody sees the votes as they come.
    """

    face: Literal["columns", "drawn"]
    columns: int
    rows: int = 0
    grid: tuple[str, ...] = ()
    token: Side | None = None
    winning_cells: tuple[Cell, ...] = ()
    choices: tuple[str, ...] = ()
    drawing: Drawing | None = None
    vote: Vote | None = None

    def action_name(self, action: int) -> str:
        return self.choices[action - 1] if self.choices else str(action)


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
    def rules(self) -> str:
        """All that a newcomer needs to know, in two or three sentences; empty if it has a page of its own."""

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
        """Apply a joint action of legal actions.

        Raises IllegalPick for an illegal action, and for any turn after the end, even one without picks.
        """

    def result(self, state: State) -> Result:
        """Who has won, or "open" while the game goes on."""

    def view(self, state: State, side: Side | None) -> Board:
        """What `side` may see (None: a spectator)."""


def insert_team_names(sentence: str, names: Mapping[Side, str]) -> str:
    """A game's own sentence with the teams' names put in."""
    for side in SIDES:
        sentence = sentence.replace(f"{{{side}}}", names[side])
    return sentence


def check_picks(game: Game[State], state: State, picks: Picks) -> None:
    """Raise IllegalPick after the end, and for a pick that is not among the side's legal actions."""
    if not game.to_move(state):
        raise IllegalPick(GAME_OVER)
    for side in SIDES:
        pick = picks.of(side)
        legal = type(pick) is int and pick in game.legal_actions(state, side)
        if pick is not None and not legal:
            raise IllegalPick(f"{side} picks {short_repr(pick)}: it cannot do that now")
