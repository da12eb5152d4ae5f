"""Pictures of the rules: positions before and after a turn, computed by the game engine. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from crowdgame.reports.turning_point import line_cells
from games.drawing.board_drawing import Highlights, draw_board
from games.engine.game import SIDES, Board, Picks, Resolution, Side, other_side
from games.engine.registry import find_game, read_options

RULES_GAME = "simultaneous-captains-mistress"
FULL_OPTIONS = {"columns": 7}
FIRST_GAME_OPTIONS = {"columns": 6}

Turns = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class RuleExample:
    """A rule and its example. `turns` lead to the position; `picks` (red, yellow) are the turn shown."""

    title: str
    text: str
    turns: Turns
    picks: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PlayedExample:
    """The boards before and after the example's turn, and its resolution."""

    before: Board
    after: Board
    resolution: Resolution


@dataclass(frozen=True, slots=True)
class RulePicture:
    title: str
    text: str
    before: str
    after: str
    holder: Side | None
    next_holder: Side | None


RULE_EXAMPLES = (
    RuleExample(
        "Two columns",
        "Red chose 3, yellow chose 5. Both balls drop as far as they can.",
        [(4, 3), (3, 5)],
        (3, 5),
    ),
    RuleExample(
        "The same column",
        "Both chose 4. The side with the token drops first; the other lands on top. The token changes sides.",
        [(3, 5), (2, 5)],
        (4, 4),
    ),
    RuleExample(
        "One space left",
        "Both chose 4, with one space left. The token holder takes it. The other side only gets the token.",
        [(4, 4), (4, 4), (4, 1)],
        (4, 4),
    ),
    RuleExample(
        "Four in a row",
        "Four balls of one side in a line win the match: horizontal, vertical or diagonal.",
        [(2, 3), (3, 4), (6, 4), (4, 5), (6, 5), (1, 5)],
        (5, 7),
    ),
    RuleExample(
        "Both win at once",
        "Red and yellow both make four in this turn. The side that started the turn with the token wins.",
        [(1, 7), (2, 7), (3, 7)],
        (4, 7),
    ),
)


def draw_examples() -> tuple[RulePicture, ...]:
    return tuple(_draw(scene) for scene in RULE_EXAMPLES)


def draw_empty_board(options: dict[str, Any]) -> str:
    game = find_game(RULES_GAME)
    board = game.view(game.start(read_options(game, options)), None)
    return draw_board(board, f"An empty board of {board.columns} columns and {board.rows} rows.")


def play_example(scene: RuleExample) -> PlayedExample:
    game = find_game(RULES_GAME)
    state = game.start(read_options(game, FULL_OPTIONS))
    for turn in scene.turns:
        state = game.resolve(state, Picks(*turn))[0]
    before = game.view(state, None)
    state, resolution = game.resolve(state, Picks(*scene.picks))
    return PlayedExample(before, game.view(state, None), resolution)


def _with_all_lines(board: Board) -> Board:
    """Return the board with the loser's lines highlighted too."""
    cells = tuple(cell for side in SIDES for cell in line_cells(board, side))
    return msgspec.structs.replace(board, winning_cells=cells)


def _draw(scene: RuleExample) -> RulePicture:
    played = play_example(scene)
    first = played.before.token or SIDES[0]
    order = (first, other_side(first))
    above = tuple((side, Picks(*scene.picks).of(side) or 0) for side in order)
    fresh = {(drop.column, drop.row) for drop in played.resolution.drops if drop.row is not None}
    red, yellow = scene.picks
    return RulePicture(
        title=scene.title,
        text=scene.text,
        before=draw_board(
            played.before, f"Before: red is over {red}, yellow over {yellow}.", Highlights(above=above)
        ),
        after=draw_board(_with_all_lines(played.after), "After the turn.", Highlights(fresh=fresh)),
        holder=played.before.token,
        next_holder=played.after.token,
    )
