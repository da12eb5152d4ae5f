"""Pictures of the rules in the active language: positions before and after a turn, from the game engine."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from games.drawing.board_drawing import Highlights, draw_board
from games.engine.game import SIDES, Board, Picks, Resolution, other_side
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
    token: str


RULE_EXAMPLES = (
    RuleExample(
        gettext_noop("Two columns"),
        gettext_noop("Red chose 3, yellow chose 5. Both balls drop as far as they can."),
        [(4, 3), (3, 5)],
        (3, 5),
    ),
    RuleExample(
        gettext_noop("The same column"),
        gettext_noop(
            "Both chose 4. The side with the token drops first; the other lands on top. "
            "The token changes sides."
        ),
        [(3, 5), (2, 5)],
        (4, 4),
    ),
    RuleExample(
        gettext_noop("One space left"),
        gettext_noop(
            "Both chose 4, with one space left. The token holder takes it. "
            "The other side only gets the token."
        ),
        [(4, 4), (4, 4), (4, 1)],
        (4, 4),
    ),
    RuleExample(
        gettext_noop("Four in a row"),
        gettext_noop("Four balls of one side in a line win the match: horizontal, vertical or diagonal."),
        [(2, 3), (3, 4), (6, 4), (4, 5), (6, 5), (1, 5)],
        (5, 7),
    ),
    RuleExample(
        gettext_noop("Both win at once"),
        gettext_noop(
            "Red and yellow both make four in this turn. The side that started the turn with the token wins."
        ),
        [(1, 7), (2, 7), (3, 7)],
        (4, 7),
    ),
)


def draw_examples() -> tuple[RulePicture, ...]:
    return tuple(_draw(scene) for scene in RULE_EXAMPLES)


def draw_empty_board(options: dict[str, Any]) -> str:
    game = find_game(RULES_GAME)
    board = game.view(game.start(read_options(game, options)), None)
    size = {"columns": board.columns, "rows": board.rows}
    return draw_board(board, _("An empty board of %(columns)s columns and %(rows)s rows.") % size)


def play_example(scene: RuleExample) -> PlayedExample:
    game = find_game(RULES_GAME)
    state = game.start(read_options(game, FULL_OPTIONS))
    for turn in scene.turns:
        state = game.resolve(state, Picks(*turn))[0]
    before = game.view(state, None)
    state, resolution = game.resolve(state, Picks(*scene.picks))
    return PlayedExample(before, game.view(state, None), resolution)


def _draw(scene: RuleExample) -> RulePicture:
    played = play_example(scene)
    first = played.before.token or SIDES[0]
    order = (first, other_side(first))
    above = tuple((side, Picks(*scene.picks).of(side) or 0) for side in order)
    fresh = {(drop.column, drop.row) for drop in played.resolution.drops if drop.row is not None}
    red, yellow = scene.picks
    return RulePicture(
        title=_(scene.title),
        text=_(scene.text),
        before=draw_board(
            played.before,
            _("Before: red is over %(red)s, yellow over %(yellow)s.") % {"red": red, "yellow": yellow},
            Highlights(above=above),
        ),
        after=draw_board(played.after, _("After the turn."), Highlights(fresh=fresh)),
        token=_describe_token(played),
    )


def _describe_token(played: PlayedExample) -> str:
    """Say which side holds the token before and after the turn."""
    texts = {
        ("red", "red"): _("Token: red"),
        # Translators: the arrow points in the direction of reading.
        ("red", "yellow"): _("Token: red → yellow"),
        # Translators: the arrow points in the direction of reading.
        ("yellow", "red"): _("Token: yellow → red"),
        ("yellow", "yellow"): _("Token: yellow"),
    }
    return texts[(played.before.token or "red", played.after.token or "red")]
