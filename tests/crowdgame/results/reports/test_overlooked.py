"""The report's list of turns in which a team overlooked the best column, and its chart of losses."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client

from crowdgame.results.analysis.analyzed_turn import analyze_turn, pack_analysis
from crowdgame.results.analysis.models import TurnAnalysis
from crowdgame.results.reports.charts import draw_lines
from crowdgame.results.reports.overlooked import draw_losses
from games.engine.game import Picks, Side, other_side
from games.solver.solution import Solution
from tests.crowdgame.results.analysis.analysis_helpers import begin
from tests.crowdgame.results.reports.test_analysis_pages import page_of, text_of
from tests.voting.match_helpers import only_turn, play_turn
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import end_match
from voting.models import Match

pytestmark = pytest.mark.django_db
TABLE = '<section class="panel overlooked"'
CHART = "Winning chance that the average voter lost."
#: Columns 1 and 2 are the best ones of the side; any other costs a share of its winning chance.
BEST = (1, 2)


def solution(cost: float, side: Side = "red", *, is_exact: bool = True) -> Solution:
    losses = [0.0 if column in BEST else 2 * cost for column in range(1, 8)]
    mixes = (0.5, 0.5, 0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0, 0, 0)
    if side == "red":
        return Solution(0.0, *mixes, tuple((-loss,) * 7 for loss in losses), is_exact, depth=4)
    return Solution(0.0, *mixes[::-1], (tuple(losses),) * 7, is_exact, depth=4)


def listed(
    client: Client,
    box: BallotBox,
    *turns: tuple[Sequence[int], float],
    side: Side = "red",
    is_exact: bool = True,
    **choices: Any,
) -> list[tuple[str, ...]]:
    """Play a turn for each pair of votes of the side and cost of a wrong column.

    Returns the turn, team, best columns, share of voters and average loss of each row of the list.
    """
    match, other = begin(box, **choices), other_side(side)
    for number, (votes, cost) in enumerate(turns):
        turn = play_turn(only_turn(match), box, **{side: votes, other: [3 + number % 5]})
        counts: dict[Side, dict[int, int]] = {side: {column: votes.count(column) for column in votes}}
        picks = Picks(**{side: votes[0], other: 3})
        judged = analyze_turn(solution(cost, side, is_exact=is_exact), picks, counts | {other: {3: 1}})
        TurnAnalysis.objects.create(turn=turn, packed=pack_analysis(judged))
    end_match(Match.objects.get(pk=match.pk), "draw", "agreed", box.now())
    page = page_of(client, match)
    if TABLE not in page:
        return []
    assert CHART in page
    named = re.sub(r'<svg[^>]* aria-label="(\w+)">', r"\1", page)
    table = text_of(named, TABLE).partition("Average voter lost")[2]
    return re.findall(r"(\d+) (\w+) (\d and \d) (\d+%) ([\d.]+)", table)


@pytest.mark.parametrize(("side", "team"), [("red", "Rooks"), ("yellow", "Doves")])
def test_turn_is_listed_if_fewer_than_half_saw_a_best_column(
    client: Client, box: BallotBox, side: Side, team: str
) -> None:
    turns = ([7, 7, 6, 2, 2], 0.3), ([7, 7, 1, 2], 0.3), ([7, 7, 1], 0.07)
    assert listed(client, box, *turns, side=side) == [("1", team, "1 and 2", "40%", "18.0")]


def test_single_voter_is_no_crowd(client: Client, box: BallotBox) -> None:
    assert listed(client, box, ([7], 0.3)) == []
    assert CHART not in page_of(client, Match.objects.get())


def test_points_are_no_voters(client: Client, box: BallotBox) -> None:
    assert listed(client, box, ([7, 7, 6], 0.3), tally_method="score") == []


def test_chart_has_the_average_loss_of_each_side_in_each_turn() -> None:
    votes: dict[Side, dict[int, int]] = {"red": {7: 2, 1: 1}, "yellow": {3: 2}}
    analyses = {2: analyze_turn(solution(0.3), Picks(7, 3), votes)}
    loss = 100 * (0.3 + 0.3 + 0) / 3
    lines = draw_lines("Losses", {"red": [None, loss, None], "yellow": [None, 0, None]}, 20, 1)
    assert draw_losses("Losses", analyses, 3, 1) == lines


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
