"""Engine speed in turns per second and core: `python -m tests.load.bench_engine [SECONDS]`."""

import sys
from random import Random
from time import perf_counter

from games.engine.game import Picks
from games.engine.registry import all_games


def bench(slug: str, seconds: float) -> float:
    """Play complete random games, and query legal actions and result each turn as the product does."""
    game, rng, turns = all_games()[slug], Random(1), 0
    options = game.draw_lots(game.options(), 0)
    begun = perf_counter()
    while perf_counter() - begun < seconds:
        state = game.start(options)
        while game.result(state) == "open":
            picks = {side: rng.choice(game.legal_actions(state, side)) for side in game.to_move(state)}
            state, _ = game.resolve(state, Picks(**picks))
            turns += 1
    return turns / (perf_counter() - begun)


if __name__ == "__main__":
    for slug in all_games():
        rate = bench(slug, float(sys.argv[1]) if len(sys.argv) > 1 else 3.0)
        sys.stdout.write(f"{slug}: {rate:,.0f} turns/s\n")
