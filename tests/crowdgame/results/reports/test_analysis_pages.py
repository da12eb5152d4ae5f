import csv
import io
import re
from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client

from crowdgame.results.analysis.analyzed_turn import analyze_turn, pack_analysis
from crowdgame.results.analysis.models import TurnAnalysis
from crowdgame.results.analysis.turn_solving import store_analysis
from crowdgame.results.reports.analysis_view import format_points
from crowdgame.results.reports.charts import draw_lines
from crowdgame.results.reports.overlooked import draw_losses
from games.engine.game import Picks, Side, other_side
from games.solver.solution import Solution
from tests.crowdgame.results.analysis.analysis_helpers import TOKEN, analyze_all, begin
from tests.voting.match_helpers import CLASSIC, RED_WINS, only_turn, play, play_turn
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.voter_codes import derive_voter_code
from voting.matches import end_match
from voting.models import Event, Match, Nickname, Team
from voting.terms import AnalysisTime
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
ANALYSIS, TURNING = '<section class="analysis"', '<section class="panel turning"'
TURNS = ([1, 1, 7], [2]), ([1, 1, 4], [3]), ([1, 1], [2]), ([1, 1], [3])
TABLE, CHART = '<section class="panel overlooked"', "Winning chance that the average voter lost."


def play_turns(match: Match, box: BallotBox) -> Match:
    for red, yellow in TURNS:
        play_turn(only_turn(match), box, red, yellow)
    match.refresh_from_db()
    return match


@pytest.fixture(scope="module")
def analyzed(module_box: BallotBox) -> Match:
    """Four turns that red wins, each with an analysis."""
    match = play_turns(begin(module_box), module_box)
    analyze_all(module_box)
    return match


def page_of(client: Client, match: Match, language: str = "en") -> str:
    return client.get(f"/report/{match.event.code}/{match.number}?locale={language}").content.decode()


def part(page: str, begins: str, end: str = "</section>", which: int = 1) -> str:
    return page.split(begins)[which].partition(end)[0]


def text_of(page: str, begins: str, which: int = 1) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", part(page, begins, which=which)).split())


def test_page_without_analysis_is_complete_and_gets_it_later(client: Client, box: BallotBox) -> None:
    match = play_turns(begin(box), box)
    assert "Every pair of columns" not in page_of(client, match)
    assert {row["red_class"] for row in csv_rows(client, match)} == {""}
    for turn in match.turns.select_related("match__event").filter(number__gt=1):
        store_analysis(turn)
    panel = text_of(page_of(client, match), TURNING)
    assert "Turning point: turn 3 From turn 3 to the end, Rooks always had a winning column" in panel
    analyze_all(box)
    page = page_of(client, match)
    assert page.count(ANALYSIS) == len(TURNS)
    assert page.count('<rect class="mix') >= 2 * len(TURNS), "both mixes, beside the votes"
    assert "Winning chance of Rooks after each turn" in page
    panel = text_of(page, TURNING)
    assert "Turning point: turn 3 The winning chance of Rooks rose from 67% to 100%." in panel
    assert "Decisive mistake: turn 1 Doves: 2 cost about 22 percentage points, compared with 4" in panel
    assert "always had a winning column" not in panel


def test_page_of_analyzed_match(client: Client, analyzed: Match) -> None:
    page = page_of(client, analyzed)
    matrix = part(page, '<table class="matrix"', "</table>")
    assert (matrix.count("<td data-level"), matrix.count('class="played"')) == (49, 1)
    assert part(matrix, '<th scope="row">1', "</tr>").count('class="played"') == 1
    last = text_of(page, ANALYSIS, which=4)
    assert "Rooks 100% → 100% (0.0)" in last
    assert "Rooks : column 1 Best Details Cost of the choice 0.0" in last
    assert "turns deep" in last
    wisdom = text_of(page, '<section class="panel wisdom"')
    assert re.search(r"Rooks 4 [\d.]+ [\d.]+ \S+ Too few turns", wisdom)
    assert "Doves" not in wisdom, "a team of one voter is no crowd"
    assert "This event so far" not in wisdom
    assert re.findall('<p class="verdict">(.*?)</p>', page) == [
        "Doves: 2 cost about 22 percentage points, compared with 4",
        "Doves: 3 cost about 21 percentage points, compared with 4",
        "Estimate: no clear mistake",
        "Rooks: 1. The win was certain",
    ]
    first = part(page, ANALYSIS)
    assert "Exploitable by" in first
    assert "Exploitable by" not in re.sub("<details>.*?</details>", "", first, flags=re.DOTALL)
    assert "كل أزواج الأعمدة" in page_of(client, analyzed, "ar")


def csv_rows(client: Client, match: Match, delimiter: str = ",") -> list[dict[str, str]]:
    answer = client.get(f"/report/{match.event.code}/{match.number}.csv")
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=delimiter))


def test_csv_has_the_analysis_of_each_turn(client: Client, analyzed: Match) -> None:
    first, *_, last = csv_rows(client, analyzed)
    assert first["analysis"] == "estimate"
    assert 0.3 < float(first["red_chance_before"]) < 0.7
    assert float(last["red_chance_after"]) == 1
    assert (last["red_class"], last["red_cost"], last["red_hindsight"]) == ("best", "0.0000", "0.0000")
    gain = float(first["red_average_vote_cost"]) - float(first["red_cost"])
    assert float(first["red_crowd_gain"]) == pytest.approx(gain, abs=2e-4)
    assert first["yellow_crowd_gain"] == "", "a team of one voter is no crowd"
    Event.objects.update(language="de")
    rows = csv_rows(client, analyzed, ";")
    assert (rows[0]["turn"], rows[-1]["red_chance_after"]) == ("1", "1,0000")


def test_classic_game_has_a_matrix_of_one_row_once_it_is_exact(client: Client, box: BallotBox) -> None:
    running = begin(box, game=CLASSIC, options={"first": "red"}, analysis="turn")
    for column in (7, 3, 7, 1, 1, 5, 3, 4, 4):
        turn = only_turn(running)
        votes = ([column], []) if turn.number % 2 else ([], [column])
        played = play_turn(turn, box, *votes)
        if turn.number in (1, 9):
            store_analysis(played)
    [table] = page_of(client, running).split('<table class="matrix"')[1:]  # of turn 9 only
    assert table.split("</table>")[0].count("<td data-level") == 7
    assert table.count('class="played"') == 1


def test_cached_page_withholds_live_position(client: Client, analyzed: Match, box: BallotBox) -> None:
    assert page_of(client, analyzed).count(ANALYSIS) == len(TURNS)
    following = start_match(analyzed.event_id, box)
    assert page_of(client, analyzed).count(ANALYSIS) == len(TURNS) - 1
    assert csv_rows(client, analyzed)[0]["analysis"] == ""
    play(following, box, [(4, 4)])
    assert page_of(client, analyzed).count(ANALYSIS) == len(TURNS)
    end_match(following, "draw", "agreed", box.now())
    later = play_turns(start_match(analyzed.event_id, box), box)
    analyze_all(box)
    assert "This event so far" not in page_of(client, analyzed)
    wisdom = text_of(page_of(client, later), '<section class="panel wisdom"')
    assert re.search(r"Rooks 4 .* This event so far Rooks 8 \S+ \S+ \S+ ± \S+ (Yes|No|Unclear)", wisdom)
    Match.objects.filter(pk=later.pk).update(red=later.yellow, yellow=later.red)
    wisdom = text_of(page_of(client, later), '<section class="panel wisdom"')
    assert re.search(r"Doves 4 .* This event so far Doves 4 .* Rooks 4 ", wisdom)
    signed = [format_points(share, signed=True) for share in (0.0314, -0.02, 0.0, -0.0001)]
    assert signed == ["+3.1", "\u22122.0", "0.0", "0.0"]


def test_page_names_the_best_judges_unless_the_event_hides_them(client: Client, box: BallotBox) -> None:
    """Eight voters, of whom red1, red2 and red3 choose the best columns."""
    match = begin(box)
    for _ in range(4):
        play_turn(only_turn(match), box, [1, 1, 1], [7, 7, 7, 7, 7])
    analyze_all(box)
    assert "The three best judges have no nicknames." in page_of(client, match)
    named = {"event": match.event, "name": "Heron", "allowed": True, "chosen_at": 1}
    for voter in ("red1", "red2", "red3"):
        Nickname.objects.create(voter_code=derive_voter_code(voter), skeleton=voter, **named)
    assert "Best judges: Heron, Heron and Heron" in page_of(client, match)
    Event.objects.update(hide_judges=True)
    assert "est judges" not in page_of(client, match)


def test_missed_win_is_the_headline(client: Client, box: BallotBox) -> None:
    """Yellow holds the token and has three balls in column 7, but never completes them."""
    running = begin(box, options={"token": "yellow"})
    play(running, box, [(1, 7), (1, 7), (2, 7), (3, 6), (4, 5)])
    analyze_all(box)
    page = page_of(client, running)
    assert re.findall("<h2><bdi>(.*?)</bdi></h2>", page) == ["Doves missed a certain win for 2 turns"]
    assert "Turning point: turn 5" in page, "Rooks had a winning column since turn 4"
    assert page.count('class="tag"') == page.split('id="turn-5"')[1].count('class="tag"') == 1
    marks = set(re.findall('class="mark" d="M([^ ]+)', page))
    assert marks == {"317.8"}, "above the last of five turns"


def load_board(client: Client, match: Match, status: int = 200) -> Any:
    page = f"/report/{match.event.code}/{match.number}"
    answers = [client.get(f"{page}/{name}") for name in ("board", "board.json", "live.json")]
    assert {answer.status_code for answer in answers} == {status}
    return answers[1].json() | answers[2].json() if status == 200 else None


def test_board_opens_after_the_match_and_names_the_live_position(client: Client, box: BallotBox) -> None:
    match = begin(box, analysis=AnalysisTime.TURN)
    play_turn(only_turn(match), box, [1], [2])
    load_board(client, match, 404)
    assert "/board#turn-1" not in page_of(client, match)
    play(match, box, RED_WINS[1:])
    match.refresh_from_db()
    loaded = load_board(client, match)
    assert loaded["turns"] == [[1, 2], *(list(picks) for picks in RED_WINS[1:])]
    assert (loaded["options"]["token"], loaded["options"]["tie"], loaded["live"]) == ("red", "holder", None)
    assert loaded["colors"] == {"red": "", "yellow": ""}
    Team.objects.filter(pk=match.red_id).update(color="#123456")
    assert load_board(client, match)["colors"] == {"red": "#123456", "yellow": ""}
    assert "/board#turn-1" in page_of(client, match)
    later = start_match(match.event_id, box)
    load_board(client, later, 404)
    assert load_board(client, match)["live"] == {"columns": 7, "red": "0", "yellow": "0"}
    play_turn(only_turn(later), box, [1], [2])
    assert load_board(client, match)["live"] == {"columns": 7, "red": "1", "yellow": "80"}
    Match.objects.filter(pk=later.pk).update(game="removed-game")
    assert load_board(client, match)["live"] is None
    Match.objects.filter(pk=later.pk).update(game=match.game)
    for ends_at, is_over in ((1, False), (None, False)):
        Event.objects.update(ends_at=ends_at)
        assert load_board(client, match)["is_over"] is is_over, "the vote is still open"
    play(later, box, RED_WINS[1:])
    for ends_at, is_over in ((1, True), (2**50, False), (None, False)):
        Event.objects.update(ends_at=ends_at)
        assert load_board(client, match)["is_over"] is is_over


@pytest.mark.parametrize("choices", [{"analysis": "off"}, {"game": "trails", "options": {}}])
def test_board_stays_closed(client: Client, box: BallotBox, choices: dict[str, Any]) -> None:
    match = begin(box, **TOKEN | choices)
    match.turns.all().delete()
    Match.objects.filter(pk=match.pk).update(state="aborted", ended_at=1)
    match.refresh_from_db()
    load_board(client, match, 404)
    assert "/board#turn-1" not in page_of(client, match)


def solution(cost: float, side: Side = "red", *, is_exact: bool = True) -> Solution:
    """Columns 1 and 2 are the best ones of the side; any other costs a share of its winning chance."""
    losses = [0.0, 0.0, *[2 * cost] * 5]
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


def test_neither_a_single_voter_nor_points_are_a_crowd(client: Client, box: BallotBox) -> None:
    assert listed(client, box, ([7], 0.3)) == []
    assert CHART not in page_of(client, Match.objects.latest("pk"))
    assert listed(client, box, ([7, 7, 6], 0.3), tally_method="score") == []


def test_chart_has_the_average_loss_of_each_side_in_each_turn() -> None:
    votes: dict[Side, dict[int, int]] = {"red": {7: 2, 1: 1}, "yellow": {3: 2}}
    analyses = {2: analyze_turn(solution(0.3), Picks(7, 3), votes)}
    loss = 100 * (0.3 + 0.3 + 0) / 3
    lines = draw_lines("Losses", {"red": [None, loss, None], "yellow": [None, 0, None]}, 20, 1)
    assert draw_losses("Losses", analyses, 3, 1) == lines


def test_loss_by_an_estimate_must_exceed_its_margin(client: Client, box: BallotBox) -> None:
    found = [listed(client, box, ([7, 6, 2], cost), is_exact=False) for cost in (0.29, 0.31)]
    assert [bool(rows) for rows in found] == [False, True]


def test_five_greatest_losses_are_listed(client: Client, box: BallotBox) -> None:
    costs = 0.12, 0.3, 0.18, 0.15, 0.24, 0.21
    turns = [([column, column, 1], cost) for column, cost in zip((7, 6, 7, 5, 6, 7), costs, strict=True)]
    assert [row[0] for row in listed(client, box, *turns)] == ["2", "5", "6", "3", "4"]
