"""The analysis on the report page: numbers, matrix, crowd wisdom, and when it is shown."""

import csv
import io
import re
from typing import Any

import pytest
from django.test import Client

from crowdgame.results.analysis.analyzer import POLL_S, Analyzer
from crowdgame.results.analysis.turn_solving import store_analysis
from crowdgame.results.reports.analysis_view import format_points
from tests.voting.match_helpers import CLASSIC, RED_WINS, new_event, only_turn, play, play_turn
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.voter_codes import derive_voter_code
from voting.models import Event, Match, Nickname
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
TURNS = ([1, 1, 7], [2]), ([1, 1, 4], [3]), ([1, 1], [2]), ([1, 1], [3])


def play_match(event: Event, box: BallotBox) -> Match:
    match = start_match(event.pk, box)
    for red, yellow in TURNS:
        play_turn(only_turn(match), box, red, yellow)
    match.refresh_from_db()
    return match


def analyze(box: BallotBox) -> None:
    analyzer = Analyzer(box, reveal_ms=0)
    while analyzer.run_once() < POLL_S:
        pass


@pytest.fixture(scope="module")
def analyzed(module_box: BallotBox) -> Match:
    """Four turns that red wins, each with an analysis."""
    match = play_match(new_event(options={"token": "red"}), module_box)
    analyze(module_box)
    return match


@pytest.fixture
def match(box: BallotBox) -> Match:
    return play_match(new_event(options={"token": "red"}), box)


def page_of(client: Client, match: Match, language: str = "en") -> str:
    return client.get(f"/report/{match.event.code}/{match.number}?locale={language}").content.decode()


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_page_without_analysis_is_complete_and_gets_it_later(
    client: Client, match: Match, box: BallotBox
) -> None:
    assert "Every pair of columns" not in page_of(client, match)
    assert {row["red_class"] for row in csv_rows(client, match)} == {""}
    analyze(box)
    page = page_of(client, match)
    assert page.count('<section class="analysis"') == len(TURNS)
    assert page.count('<rect class="mix') >= 2 * len(TURNS), "both mixes, beside the votes"
    assert "Winning chance of Rooks after each turn" in page


def test_matrix_has_every_pair_and_marks_the_played_one(client: Client, analyzed: Match) -> None:
    first = page_of(client, analyzed).split('<table class="matrix"')[1].split("</table>")[0]
    assert first.count("<td data-level") == 49
    assert first.count('class="played"') == 1
    assert first.split('<th scope="row">1')[1].split("</tr>")[0].count('class="played"') == 1


def test_last_turn_says_what_the_choice_was_worth(client: Client, analyzed: Match) -> None:
    last = text_of(page_of(client, analyzed).split('<section class="analysis"')[4].split("</section>")[0])
    assert "Rooks 100% → 100% (0.0)" in last
    assert "Rooks : column 1 Best Details Cost of the choice 0.0" in last
    assert "turns deep" in last


def test_crowd_is_compared_with_its_average_member(client: Client, analyzed: Match) -> None:
    wisdom = text_of(
        page_of(client, analyzed).split('<section class="panel wisdom"')[1].split("</section>")[0]
    )
    assert "Were we wiser than our average member?" in wisdom
    assert re.search(r"Rooks 4 [\d.]+ [\d.]+ \S+ Too few turns", wisdom)
    assert "Doves" not in wisdom, "a team of one voter is no crowd"
    assert "This event so far" not in wisdom


def csv_rows(client: Client, match: Match) -> list[dict[str, str]]:
    answer = client.get(f"/report/{match.event.code}/{match.number}.csv")
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_csv_has_the_analysis_of_each_turn(client: Client, analyzed: Match) -> None:
    first, *_, last = csv_rows(client, analyzed)
    assert first["analysis"] == "estimate"
    assert 0.3 < float(first["red_chance_before"]) < 0.7
    assert float(last["red_chance_after"]) == 1
    assert (last["red_class"], last["red_cost"], last["red_hindsight"]) == ("best", "0.0000", "0.0000")
    gain = float(first["red_average_vote_cost"]) - float(first["red_cost"])
    assert float(first["red_crowd_gain"]) == pytest.approx(gain, abs=2e-4)
    assert first["yellow_crowd_gain"] == "", "a team of one voter is no crowd"


def test_csv_of_a_german_event_has_semicolons_and_decimal_commas(client: Client, analyzed: Match) -> None:
    Event.objects.update(language="de")
    answer = client.get(f"/report/{analyzed.event.code}/{analyzed.number}.csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";"))
    assert (rows[0]["turn"], rows[-1]["red_chance_after"]) == ("1", "1,0000")


def test_csv_of_running_match_has_no_analysis_before_the_end(client: Client, box: BallotBox) -> None:
    running = start_match(new_event(options={"token": "red"}, analysis="match").pk, box)
    play(running, box, RED_WINS[:2])
    analyze(box)
    assert {(row["analysis"], row["red_cost"]) for row in csv_rows(client, running)} == {("", "")}


def test_later_match_shows_the_event_so_far(client: Client, analyzed: Match, box: BallotBox) -> None:
    later = play_match(analyzed.event, box)
    analyze(box)
    assert "This event so far" not in page_of(client, analyzed)
    wisdom = text_of(page_of(client, later).split('<section class="panel wisdom"')[1].split("</section>")[0])
    assert re.search(r"Rooks 4 .* This event so far Rooks 8 \S+ \S+ \S+ ± \S+ (Yes|No|Unclear)", wisdom)


@pytest.mark.parametrize(
    ("terms", "is_shown"),
    [
        ({"analysis": "off"}, False),
        ({"analysis": "match"}, False),
        ({"analysis": "turn"}, True),
        ({"analysis": "turn", "hide_hints": True}, False),
    ],
)
def test_page_of_running_match_follows_the_setting(
    client: Client, box: BallotBox, terms: dict[str, Any], is_shown: bool
) -> None:
    running = start_match(new_event(options={"token": "red"}, **terms).pk, box)
    play(running, box, RED_WINS[:2])
    analyze(box)
    assert ("Every pair of columns" in page_of(client, running)) is is_shown


def test_classic_game_has_a_matrix_of_one_row_once_it_is_exact(client: Client, box: BallotBox) -> None:
    running = start_match(new_event(game=CLASSIC, options={"first": "red"}, analysis="turn").pk, box)
    for column in (7, 3, 7, 1, 1, 5, 3, 4, 4):
        turn = only_turn(running)
        played = play_turn(turn, box, [column], []) if turn.number % 2 else play_turn(turn, box, [], [column])
        if turn.number in (1, 9):
            store_analysis(played)
    tables = page_of(client, running).split('<table class="matrix"')[1:]
    assert [table.split("</table>")[0].count("<td data-level") for table in tables] == [7], "of turn 9 only"
    assert tables[0].count('class="played"') == 1


def test_page_withholds_the_live_position_also_after_it_was_cached(
    client: Client, analyzed: Match, box: BallotBox
) -> None:
    assert page_of(client, analyzed).count('<section class="analysis"') == len(TURNS)
    following = start_match(analyzed.event_id, box)
    assert page_of(client, analyzed).count('<section class="analysis"') == len(TURNS) - 1
    assert csv_rows(client, analyzed)[0]["analysis"] == ""
    play(following, box, [(4, 4)])
    assert page_of(client, analyzed).count('<section class="analysis"') == len(TURNS)


@pytest.mark.parametrize(("language", "text"), [("de", "Jedes Paar von Spalten"), ("ar", "كل أزواج الأعمدة")])
def test_analysis_is_translated(client: Client, analyzed: Match, language: str, text: str) -> None:
    assert text in page_of(client, analyzed, language)


@pytest.mark.parametrize(
    ("share", "text"), [(0.0314, "+3.1"), (-0.02, "\u22122.0"), (0.0, "0.0"), (-0.0001, "0.0")]
)
def test_points_have_a_sign_and_one_decimal(share: float, text: str) -> None:
    assert format_points(share, signed=True) == text


def test_turning_point_comes_from_the_analysis_once_all_turns_have_one(
    client: Client, match: Match, box: BallotBox
) -> None:
    for turn in match.turns.select_related("match__event").filter(number__gt=1):
        store_analysis(turn)
    panel = text_of(page_of(client, match).split('<section class="panel turning"')[1].split("</section>")[0])
    assert "Turning point: turn 3 From turn 3 to the end, Rooks always had a winning column" in panel
    analyze(box)
    page = page_of(client, match)
    panel = text_of(page.split('<section class="panel turning"')[1].split("</section>")[0])
    assert "Turning point: turn 3 The winning chance of Rooks rose from 67% to 100%." in panel
    assert "Decisive mistake: turn 1 Doves: 2 cost about 22 percentage points, compared with 4" in panel
    assert "always had a winning column" not in panel


def test_page_names_the_best_judges_unless_the_event_hides_them(client: Client, box: BallotBox) -> None:
    """Eight voters, of whom red1, red2 and red3 choose the best columns."""
    match = start_match(new_event(options={"token": "red"}).pk, box)
    for _ in range(4):
        play_turn(only_turn(match), box, [1, 1, 1], [7, 7, 7, 7, 7])
    analyze(box)
    assert "The three best judges have no nicknames." in page_of(client, match)
    for voter in ("red1", "red2", "red3"):
        Nickname.objects.create(
            event=match.event,
            voter_code=derive_voter_code(voter),
            name="Heron",
            skeleton=voter,
            allowed=True,
            chosen_at=1,
        )
    assert "Best judges: Heron, Heron and Heron" in page_of(client, match)
    Event.objects.update(hide_judges=True)
    assert "est judges" not in page_of(client, match)


def test_missed_win_is_the_headline(client: Client, box: BallotBox) -> None:
    """Yellow holds the token and has three balls in column 7, but never completes them."""
    running = start_match(new_event(options={"token": "yellow"}).pk, box)
    play(running, box, [(1, 7), (1, 7), (2, 7), (3, 6), (4, 5)])
    analyze(box)
    page = page_of(client, running)
    heading = re.findall("<h2><bdi>(.*?)</bdi></h2>", page)
    assert heading == ["Doves missed a certain win for 2 turns"]
    assert "Turning point: turn 5" in page, "Rooks had a winning column since turn 4"
    assert page.count('class="tag"') == page.split('id="turn-5"')[1].count('class="tag"') == 1
    marks = set(re.findall('class="mark" d="M([^ ]+)', page))
    assert marks == {"317.8"}, "above the last of five turns"


def test_each_turn_says_what_the_choices_were_worth(client: Client, analyzed: Match) -> None:
    assert re.findall('<p class="verdict">(.*?)</p>', page_of(client, analyzed)) == [
        "Doves: 2 cost about 22 percentage points, compared with 4",
        "Doves: 3 cost about 21 percentage points, compared with 4",
        "Estimate: no clear mistake",
        "Rooks: 1. The win was certain",
    ]


def test_costs_and_figures_of_the_crowd_are_behind_details(client: Client, analyzed: Match) -> None:
    section = page_of(client, analyzed).split('<section class="analysis"')[1].split("</section>")[0]
    assert "Exploitable by" in section
    assert "Exploitable by" not in re.sub("<details>.*?</details>", "", section, flags=re.DOTALL)
