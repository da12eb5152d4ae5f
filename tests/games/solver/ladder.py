"""Games between bots of neighboring strengths, and the time of their picks."""

from time import process_time

from games.bots.bots import STRENGTHS, bot_pick, pick_action
from games.engine.game import Picks
from games.engine.registry import find_game, read_options
from tests.games.solver.sampling import SIMULTANEOUS, Sample

GAME = find_game(SIMULTANEOUS)
POINTS = {"red": 1.0, "yellow": 0.0, "draw": 0.5}


def play_game(strength: int, seed: int) -> float:
    """Return the points of a bot against the next weaker one. It is red in games with an even seed."""
    is_red = seed % 2 == 0
    red, yellow = (strength, strength - 1) if is_red else (strength - 1, strength)
    state = GAME.start(GAME.draw_lots(read_options(GAME, {}), seed // 2))
    turn = 0
    while GAME.result(state) == "open":
        turn_seed = f"{seed}.{turn}"
        picks = Picks(
            pick_action(GAME, state, "red", red, turn_seed),
            pick_action(GAME, state, "yellow", yellow, turn_seed),
        )
        state, turn = GAME.resolve(state, picks)[0], turn + 1
    points = POINTS[GAME.result(state)]
    return points if is_red else 1 - points


def time_picks(sample: Sample) -> float:
    """Return the mean CPU time of a pick below full depth, in milliseconds."""
    strengths = sorted(STRENGTHS)[:-1]
    start = process_time()
    for strength in strengths:
        bot_pick(sample.position, "red", strength, "seed")
    return (process_time() - start) * 1000 / len(strengths)
