"""Game records: the interchange format of a match, and its replay.

    {"game": slug, "options": {...}, "turns": [{"red": 4, "yellow": null}, ...]}

Columns count from 1. A side that is null or left out has no pick.
"""

from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Any

import msgspec

from games.engine.errors import BadRecord, IllegalPick
from games.engine.game import SIDES, Board, Game, Picks, Resolution, Result
from games.engine.registry import find_game, read_options


class GameRecord(msgspec.Struct, frozen=True):
    """A parsed game record. Unknown keys are ignored.

    `game` and the picks are validated by the replay, which can report the wrong turn. `name` is a title for
    readers.
    """

    game: Any
    options: Any = {}
    turns: tuple[dict[str, Any], ...] = ()
    name: Any = None


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay.

    `error_turn` (from 1) is the first turn that breaks the rules, `error` the reason.
    """

    game: Game[Any]
    state: Any
    resolutions: tuple[Resolution, ...]
    error_turn: int | None = None
    error: str | None = None

    @property
    def board(self) -> Board:
        return self.game.view(self.state, None)

    @property
    def result(self) -> Result:
        return self.game.result(self.state)


def read_record(line: bytes | str) -> GameRecord:
    """Parse one record. Raises BadRecord."""
    try:
        return msgspec.json.decode(line, type=GameRecord)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as refusal:
        raise BadRecord(str(refusal)) from refusal


def replay(record: GameRecord) -> Replayed:
    """Replay a record; an illegal pick ends the replay. Raises UnknownGame or BadOptions."""
    game = find_game(record.game)
    state = game.start(read_options(game, record.options))
    resolutions: list[Resolution] = []
    for number, turn in enumerate(record.turns, 1):
        try:
            state, resolution = game.resolve(state, _picks(turn))
        except IllegalPick as refusal:
            return Replayed(game, state, tuple(resolutions), number, str(refusal))
        resolutions.append(resolution)
    return Replayed(game, state, tuple(resolutions))


def _picks(turn: dict[str, Any]) -> Picks:
    unknown = sorted(set(turn) - set(SIDES))
    if unknown:
        raise IllegalPick(f"there is no side called {short_repr(unknown[0])}")
    return Picks(turn.get("red"), turn.get("yellow"))
