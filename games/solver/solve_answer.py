"""The answer of `manage.py solve --json` to one game record.

    {"value": 0.25, "red": {"3": 0.75, "4": 0.25}, "yellow": {"4": 1.0}, "exact": true, "depth": 9}

`value` is red's: 1 is a win, -1 a loss. `red` and `yellow` are the probabilities of an equilibrium, without
columns that it never plays; empty for a side that is not to move. After the end, both are empty.
"""

import msgspec

from games.engine.errors import BadRecord, UnknownGame
from games.engine.game import Result
from games.engine.record import Replayed
from games.solver.positions import read_position
from games.solver.solution import Mix
from games.solver.solver import solve

WORTH: dict[Result, float] = {"red": 1.0, "yellow": -1.0, "draw": 0.0}
NEVER = 1e-9


class SolveAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The value and an equilibrium of the turn that follows a record.

    `depth` counts the turns that were searched. `exact`: to the end of the match.
    """

    value: float
    red: dict[int, float]
    yellow: dict[int, float]
    exact: bool
    depth: int


def build_answer(replayed: Replayed) -> SolveAnswer:
    """Solve the turn after a replayed record.

    Raises BadRecord for a record that breaks the rules, and UnknownGame for a game without a solver.
    """
    if replayed.error_turn:
        raise BadRecord(f"turn {replayed.error_turn}: {replayed.error}")
    if replayed.result != "open":
        return SolveAnswer(value=WORTH[replayed.result], red={}, yellow={}, exact=True, depth=0)
    position = read_position(replayed.state)
    if position is None:
        raise UnknownGame(f"there is no solver for the game {replayed.game.slug}")
    solution = solve(position)
    return SolveAnswer(
        value=solution.value,
        red=_columns(solution.red_mix),
        yellow=_columns(solution.yellow_mix),
        exact=solution.is_exact,
        depth=solution.depth,
    )


def describe_answer(answer: SolveAnswer) -> str:
    """Return the answer as text for a terminal."""
    lines = [f"value for red: {answer.value:+.3f} ({_describe_search(answer)})"]
    for side, mix in (("red", answer.red), ("yellow", answer.yellow)):
        columns = ", ".join(f"column {column} {chance:.1%}" for column, chance in mix.items())
        if columns:
            lines.append(f"{side}: {columns}")
    return "\n".join(lines)


def _describe_search(answer: SolveAnswer) -> str:
    return "exact" if answer.exact else f"searched {answer.depth} turns deep"


def _columns(mix: Mix) -> dict[int, float]:
    return {column: chance for column, chance in enumerate(mix, 1) if chance > NEVER}
