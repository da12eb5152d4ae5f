"""One row per voting method for the contract tests: sample ballots, and what they come to."""

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from voting.counting.ballots import RESIGN, SET, encode_ranking, encode_set

COLUMNS = 5
LEGAL = (1, 2, 4, 7)
columns = st.integers(1, COLUMNS)
rankings = st.lists(columns, min_size=1, max_size=3, unique=True).map(encode_ranking)
sets = st.sets(columns, min_size=1).map(encode_set)
point_maps = st.dictionaries(columns, st.integers(1, 5), min_size=1)
ALIEN = (encode_ranking([1, 2]), encode_set([1, 2]))


def scored(points: Mapping[int, int]) -> int:
    return encode_set([column for column, number in points.items() for _ in range(number)], 5)


@dataclass(frozen=True)
class MethodCase:
    """`ballots` are all valid choices for the columns 1 to COLUMNS, without a request to resign.

    `invalid` choices name LEGAL columns only, unless the column is what is wrong. The choices `cast` have
    these `counts` on a board of seven columns, live and final, and this `pick`, without a tie.
    """

    ballots: st.SearchStrategy[int]
    invalid: tuple[int, ...]
    cast: tuple[int, ...]
    counts: tuple[int, ...]
    pick: int


CASES = {
    "plurality": MethodCase(
        ballots=columns, invalid=ALIEN, cast=(7, 1, RESIGN + 7), counts=(1, 0, 0, 0, 0, 0, 2), pick=7
    ),
    "lottery": MethodCase(
        ballots=columns, invalid=ALIEN, cast=(4, 4, RESIGN + 4), counts=(0, 0, 0, 3, 0, 0, 0), pick=4
    ),
    "approval": MethodCase(
        ballots=sets,
        invalid=(encode_ranking([1, 2]), encode_set([1, 2]) - 2, encode_set([1, 3])),
        cast=(encode_set([1, 7]), encode_set([1, 2]), RESIGN + 1),
        counts=(3, 1, 0, 0, 0, 0, 1),
        pick=1,
    ),
    "score": MethodCase(
        ballots=point_maps.map(scored),
        invalid=(encode_ranking([1, 2]), SET + 6, scored({1: 2, 3: 1}), scored({1: 1, 12: 1})),
        cast=(scored({1: 5, 2: 2}), scored({1: 1, 4: 4}), scored({4: 4}) + RESIGN, 4),
        counts=(6, 2, 0, 9, 0, 0, 0),
        pick=4,
    ),
    "instant_runoff": MethodCase(
        ballots=rankings,
        invalid=(encode_set([1, 2]), *map(encode_ranking, ([1, 1], [1, 3], [1, 0, 2], [0, 1], [1, 2, 4, 7]))),
        cast=(encode_ranking([7, 1, 2]), 7, RESIGN + encode_ranking([2, 7])),
        counts=(0, 1, 0, 0, 0, 0, 2),
        pick=7,
    ),
}
