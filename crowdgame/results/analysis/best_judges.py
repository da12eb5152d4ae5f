"""Which voters judged the columns best over a match. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from statistics import fmean

from games.engine.game import Side

JUDGES = 3
MIN_VOTES, MIN_VOTERS = 4, 8  # with fewer, the names could reveal single votes
MIN_SHARE = 0.5

TurnLosses = Mapping[Side, Mapping[str, float]]
"""What each vote of a turn cost, in winning chance, by side and voter."""


def rank_voters(turns: Iterable[TurnLosses], lot: str) -> list[str]:
    """Return the voters who voted often enough, the least average cost first.

    Of equals, the one with more votes comes first; the rest is drawn with `lot`.
    """
    losses, sides, played = defaultdict[str, list[float]](list), dict[str, Side](), Counter[Side]()
    for turn in turns:
        played.update(turn.keys())
        for side, votes in turn.items():
            for voter, loss in votes.items():
                losses[voter].append(loss)
                sides[voter] = side
    ranks = {
        voter: (round(fmean(costs), 3), -len(costs), sha256(f"{lot}:{voter}".encode()).digest())
        for voter, costs in losses.items()
        if len(costs) >= max(MIN_VOTES, MIN_SHARE * played[sides[voter]])
    }
    return sorted(ranks, key=lambda voter: ranks[voter])


def best_judges(ranked: list[str], excluded: set[str]) -> list[str]:
    """Return the best of the ranked voters. Empty if too few are left without those who are excluded."""
    left = [voter for voter in ranked if voter not in excluded]
    return left[:JUDGES] if len(left) >= MIN_VOTERS else []


def hash_judge(voter: str, turn_id: int) -> str:
    """Return what only the voter's own phone recognizes, in the match that this turn ended."""
    return sha256(f"crowdgame judge:{turn_id}:{voter}".encode()).hexdigest()
