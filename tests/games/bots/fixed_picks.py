"""Picks that never change in a version of the bots, in picks.ndjson. The verifier page's tests read them too.

Write them again, after a change of the version, with
`python -m tests.games.bots.fixed_picks > tests/games/bots/picks.ndjson`.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from games.bots.bots import pick_action, weigh_columns
from games.engine.game import Picks, Side
from games.engine.record import GameRecord, replay
from games.engine.registry import all_games, find_game, read_options
from games.solver.positions import read_position
from tests.games.solver.sampling import CLASSIC, SIMULTANEOUS, SINGLE_SELECTOR, random_options

COLUMN_GAMES = (SIMULTANEOUS, SINGLE_SELECTOR, CLASSIC)
SLUGS = (*COLUMN_GAMES, *COLUMN_GAMES, *sorted(all_games()))
FILE = Path(__file__).with_name("picks.ndjson")
PICKS = 200
FULL_STRENGTH = 5
LOOK_AHEAD = {29: 21, 54: 30}  # free cells of two slow picks of strength 5; its others have at most 14


class FixedPick(msgspec.Struct, frozen=True):
    """A pick after `turns`, and the weights of the columns that it is drawn from; empty if not compared."""

    game: str
    options: dict[str, Any]
    turns: tuple[dict[Side, int], ...]
    side: Side
    strength: int
    seed: str
    pick: int
    weights: list[int]


def read_fixed_picks() -> list[FixedPick]:
    return [msgspec.json.decode(line, type=FixedPick) for line in FILE.read_bytes().splitlines()]


def recompute(fixed: FixedPick) -> FixedPick:
    turns = tuple({str(side): pick for side, pick in turn.items()} for turn in fixed.turns)
    replayed = replay(GameRecord(fixed.game, fixed.options, turns))
    pick = pick_action(replayed.game, replayed.state, fixed.side, fixed.strength, fixed.seed)
    position = read_position(replayed.state)
    weights: list[int] = []
    if position and fixed.strength < FULL_STRENGTH:
        weights = weigh_columns(position, fixed.side, fixed.strength, fixed.seed)
    return msgspec.structs.replace(fixed, pick=pick, weights=weights)


def draw_picks() -> Iterator[FixedPick]:
    for number in range(PICKS):
        random, strength = Random(number), 1 + number % 5
        most_free = LOOK_AHEAD.get(number, 14) if strength == FULL_STRENGTH else random.randint(6, 42)
        slug = SIMULTANEOUS if number in LOOK_AHEAD else random.choice(SLUGS)
        while (drawn := _draw_pick(slug, strength, most_free, random)) is None:
            pass
        yield drawn


def _draw_pick(slug: str, strength: int, most_free: int, random: Random) -> FixedPick | None:
    """Draw a position by random play until at most so many cells are free. None if the match ends before."""
    game = find_game(slug)
    chosen = random_options(slug, random) if slug in COLUMN_GAMES else {}
    options = game.draw_lots(read_options(game, chosen), random.getrandbits(64))
    state, turns = game.start(options), list[dict[Side, int]]()
    while (position := read_position(state)) and position.free_cells > most_free:
        turns.append({side: random.choice(game.legal_actions(state, side)) for side in game.to_move(state)})
        state = game.resolve(state, Picks(**turns[-1]))[0]
        if game.result(state) != "open":
            return None
    side, seed = random.choice(game.to_move(state)), f"{random.getrandbits(128):032x}"
    drawn = FixedPick(slug, msgspec.to_builtins(options), tuple(turns), side, strength, seed, 0, [])
    return recompute(drawn)


if __name__ == "__main__":
    for fixed in draw_picks():
        print(msgspec.json.encode(fixed).decode())
