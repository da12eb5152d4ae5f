"""History of a duel's match: what each side chose in every revealed turn."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from games.engine.game import Board
from games.engine.texts import translate_text
from voting.positions import Position


@dataclass(frozen=True, slots=True)
class TurnChoices:
    """A revealed turn. `red` and `yellow` are the choices, empty for none, and equal in a `conflict`."""

    number: int
    red: str
    yellow: str
    conflict: bool


def list_turns(position: Position) -> tuple[TurnChoices, ...]:
    """Return the revealed turns in order. The open turn and a concealed one are not in it."""
    return tuple(_turns(position))


def _turns(position: Position) -> Iterator[TurnChoices]:
    board = position.game.view(position.state, None)
    for turn, resolution in zip(position.turns, position.resolutions, strict=True):
        red, yellow = (name_pick(board, pick) for pick in (turn.red_pick, turn.yellow_pick))
        yield TurnChoices(turn.number, red, yellow, resolution.conflict is not None)


def name_pick(board: Board, pick: int | None) -> str:
    """Return the name of a choice in the current language; empty for none."""
    return translate_text(board.action_name(pick), gettext) if pick else ""
