"""Training of the evaluation: the solver plays against itself."""

from collections.abc import Callable
from math import ceil

from games.solver.module import SolverModule
from games.solver.weights import encode_weights

CHUNK = 500  # matches
DEPTH = 1
EXACT_CELLS = 14
FIRST_RATE, LAST_RATE = 2.0, 1.0
TABLE_BITS = 18


def train(columns: int, reverse_tie: bool, matches: int, seed: int, progress: Callable[[int], None]) -> bytes:
    """Train from nothing and return the file of weights.

    The same arguments give the same weights. `progress` is called with the number of matches played.
    """
    module = SolverModule(columns, reverse_tie, TABLE_BITS)
    chunks = ceil(matches / CHUNK)
    for chunk in range(chunks):
        rate = LAST_RATE + (FIRST_RATE - LAST_RATE) * (1 - chunk / chunks) ** 2
        module.call("train", seed * chunks + chunk + 1, CHUNK, DEPTH, EXACT_CELLS, rate)
        progress((chunk + 1) * CHUNK)
    return encode_weights(module.read_weights())
