"""The captain breaks ties only by the rule of the match, and only with a ballot."""

import pytest

from voting.counting.ballots import Ballot
from voting.counting.voter_codes import derive_voter_code
from voting.models import Match, Turn
from voting.terms import TieRule
from voting.turns.outcomes import captain_index

BALLOTS = [Ballot("ada", "red", 3, 1), Ballot("bob", "red", 4, 1)]


@pytest.mark.parametrize(
    ("rule", "captain", "index"),
    [
        (TieRule.CAPTAIN, "bob", 1),
        (TieRule.CAPTAIN, "carol", None),
        (TieRule.CAPTAIN, "", None),
        (TieRule.LOT, "bob", None),
    ],
)
def test_captain_is_named_by_the_captain_rule_if_they_voted(
    rule: TieRule, captain: str, index: int | None
) -> None:
    turn = Turn(match=Match(tie_rule=rule), red_captain=captain and derive_voter_code(captain))
    assert captain_index(turn, "red", BALLOTS) == index
