"""The report's list of turns in which a team overlooked the best column, and its chart of losses."""

import re
from collections.abc import Sequence

import pytest
from django.test import Client

from crowdgame.results.analysis.analyzed_turn import analyze_turn, pack_analysis
from crowdgame.results.analysis.models import TurnAnalysis
from games.engine.game import Picks
from games.solver.solution import Solution
from tests.crowdgame.results.analysis.analysis_helpers import begin
from tests.crowdgame.results.reports.test_analysis_pages import page_of, text_of
from tests.voting.match_helpers import only_turn, play_turn
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import end_match
from voting.models import Match

pytestmark = pytest.mark.django_db
TABLE = '<section class="panel overlooked"'
#: Columns 1 and 2 are the best ones of red; any other costs a share of its winning chance.
BEST = (1, 2)


def solution(cost: float, *, is_exact: bool) -> Solution:
    rows = [(0.0 if column in BEST else -2 * cost,) * 7 for column in range(1, 8)]
    return Solution(0.0, (0.5, 0.5, 0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0, 0, 0), tuple(rows), is_exact, depth=4)


def listed(
    client: Client, box: BallotBox, *turns: tuple[Sequence[int], float], is_exact: bool = True
) -> list[tuple[str, ...]]:
    """Play a turn for each pair of votes of red and cost of a wrong column.

    Returns the turn, best columns, share of voters and average loss of each row of the list.
    """
    match = begin(box)
    for number, (votes, cost) in enumerate(turns):
        turn = play_turn(only_turn(match), box, votes, [3 + number % 5])
        counts = {column: votes.count(column) for column in votes}
        judged = analyze_turn(
            solution(cost, is_exact=is_exact), Picks(votes[0], 3), {"red": counts, "yellow": {3: 1}}
        )
        TurnAnalysis.objects.create(turn=turn, packed=pack_analysis(judged))
    end_match(Match.objects.get(pk=match.pk), "draw", "agreed", box.now())
    page = page_of(client, match)
    if TABLE not in page:
        return []
    assert "Winning chance that the average voter lost." in page
    table = text_of(page, TABLE).partition("Average voter lost")[2]
    return re.findall(r"(\d+) (\d and \d) (\d+%) ([\d.]+)", table)


def test_turn_is_listed_if_fewer_than_half_saw_a_best_column(client: Client, box: BallotBox) -> None:
    turns = ([7, 7, 6, 2, 2], 0.3), ([7, 7, 1, 1], 0.3), ([7, 7, 1], 0.07)
    assert listed(client, box, *turns) == [("1", "1 and 2", "40%", "18.0")]


def test_single_voter_is_no_crowd(client: Client, box: BallotBox) -> None:
    assert listed(client, box, ([7], 0.3)) == []


@pytest.mark.parametrize(("cost", "is_listed"), [(0.29, False), (0.31, True)])
def test_loss_by_an_estimate_must_exceed_its_margin(
    client: Client, box: BallotBox, cost: float, is_listed: bool
) -> None:
    found = listed(client, box, ([7, 6, 2], cost), is_exact=False)
    assert bool(found) is is_listed


def test_five_greatest_losses_are_listed(client: Client, box: BallotBox) -> None:
    costs = 0.12, 0.3, 0.18, 0.15, 0.24, 0.21
    turns = [([column, column, 1], cost) for column, cost in zip((7, 6, 7, 5, 6, 7), costs, strict=True)]
    assert [row[0] for row in listed(client, box, *turns)] == ["2", "5", "6", "3", "4"]
