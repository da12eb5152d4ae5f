"""Ties are broken by the rule of the event alone, and each draw of a runoff has a lot of its own."""

from voting.counting.ties import TieBreaker
from voting.terms import TieRule


def test_captain_decides_only_by_the_captain_rule() -> None:
    by_lot = TieBreaker(TieRule.LOT, named=[(2,)], captain=(2,), draw=lambda *drawn: 0)
    assert by_lot.pick_leader([1, 2]) == (1, TieRule.LOT)
    assert by_lot.eliminate([2, 1], {}, 1) == (2, TieRule.LOT)


def test_columns_that_the_captain_did_not_rank_are_drawn_in_their_round() -> None:
    drawn = []

    def draw(size: int, number: int) -> int:
        drawn.append((size, number))
        return 1

    by_captain = TieBreaker(TieRule.CAPTAIN, named=[(5,)], captain=(5,), draw=draw)
    assert by_captain.eliminate([1, 2, 5], {}, 3) == (2, TieRule.LOT)
    assert drawn == [(2, 3)]
