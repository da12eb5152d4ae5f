"""`python -m tests.load.large_close 1000000`: what a worker does after the seal of a large turn, by step."""

import random
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from voting.counting.ballots import Ballot, pack_ballots
from voting.counting.commitments import draw_lot, hash_ballots, sort_ballots
from voting.counting.tally import SideBallots, TallyTerms, decide
from voting.terms import NoBallotRule, TieRule

T = TypeVar("T")
COLUMNS = range(1, 8)


def main(ballots: int) -> None:
    rng = random.Random(ballots)
    arrived = [
        Ballot(
            f"{rng.getrandbits(64):016x}", "red", rng.choice(COLUMNS), 1, n, f"{rng.getrandbits(128):032x}"
        )
        for n in range(1, ballots + 1)
    ]
    leaves = _report("hash the leaves", lambda: hash_ballots(1, arrived))
    cast = _report("sort and root", lambda: sort_ballots(1, "red", arrived, leaves, commit_order=True))
    side = SideBallots("red", cast.ballots, None, cast.arrivals)
    terms = TallyTerms("plurality", TieRule.FIRST, NoBallotRule.RANDOM)
    draw = partial(draw_lot, "", "red")
    _report("decide", lambda: decide(side, COLUMNS, len(COLUMNS), terms, draw))
    _report("pack", lambda: pack_ballots(cast.ballots))


def _report(name: str, step: Callable[[], T]) -> T:
    began = time.process_time()
    result = step()
    took = time.process_time() - began
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(f"{name}: {took:.2f} s of CPU; at most {peak_mb:.0f} MB so far")
    return result


if __name__ == "__main__":
    main(int(sys.argv[1]))
