import re
from dataclasses import replace
from xml.etree import ElementTree as Xml

import msgspec
import pytest
from django.db.models import F
from django.test import Client

from crowdgame.results.reports.charts import draw_lines, draw_votes, fitting_unit, round_up
from crowdgame.results.reports.match_csv import report_csv_rows
from crowdgame.results.reports.match_report import MatchReport, SideVote
from crowdgame.results.reports.reading import read_report
from crowdgame.results.reports.report_view import view_report
from crowdgame.results.reports.sentences import (
    describe_end,
    describe_result,
    describe_turn,
    describe_turning_point,
)
from games.engine.game import SIDES
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, play, play_out, start, vote
from tests.voting.sample_matches import MATCHES, play_match, record_of
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import abort_match, end_match
from voting.models import Event, Match, Turn, TurnState
from voting.records.match_record import MatchRecord, side_count
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db

Reports = dict[str, tuple[MatchReport, MatchRecord]]
VERSION = re.compile(r'data-current="([^"]+)"')


@pytest.fixture(scope="module")
def reports(module_box: BallotBox) -> Reports:
    matches = {name: play_match(module_box, *match) for name, match in MATCHES.items()}
    return {name: (report_of(match), record_of(match)) for name, match in matches.items()}


def report_of(match: Match) -> MatchReport:
    return read_report(Match.objects.select_related("event", "red", "yellow").get(pk=match.pk))


@pytest.mark.parametrize("match", MATCHES)
def test_report_matches_figures_of_the_record(match: str, reports: Reports) -> None:
    report, record = reports[match]
    falling: dict[str, int] = {}
    for turn, picks, count in zip(report.turns, record.turns, record.counts, strict=True):
        falling |= {side: pick for side, pick in msgspec.structs.asdict(picks).items() if pick}
        for side in SIDES:
            counted, vote = side_count(count, side), turn.votes.get(side)
            for name in ("counts", "pick", "decided_by", "root"):
                assert getattr(counted, name, None) == getattr(vote, name, None)
        if turn.board.drawing:
            continue  # a game without columns has no drops
        if turn.board.vote != "open":  # otherwise it drops after the other side has moved
            assert {drop.side: drop.column for drop in turn.resolution.drops} == falling
            falling = {}
    assert report.end == (record.result if record.result != "open" else "playing")


@pytest.mark.parametrize("name", MATCHES)
def test_report_drawings_are_valid_and_labelled(name: str, reports: Reports) -> None:
    view = view_report(reports[name][0])
    turns = [drawn for turn in view.turns for drawn in (turn.board, turn.chart)]
    for drawn in [view.final, *turns, *(chart.drawn for chart in view.charts)]:
        assert Xml.fromstring(drawn).get("aria-label")  # noqa: S314  our own
        assert "nan" not in drawn
        assert "style=" not in drawn


def test_report_describes_result_turns_and_turning_point(box: BallotBox) -> None:
    def played(picks: list[tuple[int, int]]) -> MatchReport:
        match = start(box).match
        play(match, box, picks)
        return report_of(match)

    report = played(RED_WINS)
    assert (describe_result(report), describe_end(report)) == ("Rooks won", "Four in a row in turn 4.")
    turned = describe_turning_point(report)
    assert turned.startswith("From turn 3 to the end, Rooks always had a winning column: at first column 1")
    assert turned.endswith("They also held the token, so the other team couldn't block it.")
    both = played([(1, 7), (2, 7), (3, 7), (4, 7)])
    assert describe_end(both) == "Both teams had four in a row in turn 4. Rooks held the token."
    assert describe_turn(both, both.turns[3]).endswith("Four in a row for Doves. Four in a row for Rooks.")
    conflicts = played([(4, 4), (4, 4), (4, 1), (4, 4)])
    first, second, _, last = (describe_turn(conflicts, turn) for turn in conflicts.turns)
    assert first.startswith("Both chose column 4. Rooks held the token and dropped first; Doves")
    assert "Doves held the token and dropped first" in second
    assert "there was no space left for Doves. The token went to Doves." in last
    won = played([(1, 7), (2, 7), (3, 6), (4, 4)])
    assert describe_turn(won, won.turns[-1]).endswith(
        "Rooks held the token and dropped first; Doves landed on top. Four in a row for Rooks."
    )
    assert [turn.token for turn in view_report(won).turns[-2:]] == ["Rooks", "Rooks"]


def test_report_without_board_win_has_no_turning_point(reports: Reports, box: BallotBox) -> None:
    stopped, conceded = (start(box).match for _ in range(2))
    for match in (stopped, conceded):
        play(match, box, [(1, 2)])
    abort_match(stopped, box.now())
    end_match(conceded, "yellow", "conceded", box.now())
    for report, result, end in (
        (report_of(stopped), "Stopped early", "The organizer stopped the match after 1 turn."),
        (report_of(conceded), "Doves won", "Rooks resigned after 1 turn."),
        (reports["forfeit"][0], "Rooks won", "Nobody from Doves voted in turn 2."),
        (reports["both forfeit"][0], "Draw", "Neither team voted in turn 1."),
    ):
        assert (describe_result(report), describe_end(report)) == (result, end)
        assert not describe_turning_point(report)
    assert describe_result(reports["begun"][0]) == "Match in progress"
    conceded.turns.update(opens_at=F("closes_at"))  # as of an imported record
    assert report_of(conceded).turns[0].opened_at is None


def test_report_describes_how_picks_were_decided(reports: Reports) -> None:
    for name, turn, sentence in (
        ("lots", 1, r"Rooks had a tie, and column \d was drawn at random"),
        ("lots", 2, r"Nobody from Doves voted, and column \d was drawn at random"),
        ("lottery", 0, "One vote from Rooks was drawn at random"),
        ("first", 0, r"Rooks had a tie, and column 1 reached its votes first\."),
        ("first", 0, r"Nobody from Doves voted, so they made no move\."),
        ("selector", 0, r"^Rooks chose column 4, in secret\.$"),
        ("selector", 1, r"^Both chose column 4\. Rooks held the token and dropped first"),
    ):
        report, _ = reports[name]
        assert re.search(sentence, describe_turn(report, report.turns[turn])), name


def test_csv_rows_contain_votes_and_results_per_turn(reports: Reports) -> None:
    head, *rows = report_csv_rows(reports["forfeit"][0], {})
    first, last = (dict(zip(map(str, head), row, strict=True)) for row in rows)
    assert (first["result"], last["result"]) == ("open", "red")
    assert (first["red_3"], first["red_pick"], first["conflict"]) == (1, 3, 3)
    assert (last["red_ballots"], last["yellow_ballots"], last["yellow_decided_by"]) == (2, 0, "forfeit")
    assert (str(last["red_agreement"]), last["yellow_agreement"]) == ("1.0000", None)
    assert int(str(first["opened_at"])) < int(str(first["sealed_at"]))
    *_, row = report_csv_rows(replace(reports["forfeit"][0], end="aborted"), {})
    assert dict(zip(map(str, head), row, strict=True))["result"] == "open"


def test_charts_have_round_scales_broken_lines_and_bars_apart() -> None:
    tops = {0: 2, 1: 2, 3: 4, 7: 10, 10: 10, 11: 20, 350: 400}
    assert {value: round_up(value) for value in tops} == tops
    units = {20_000: "s", 119_000: "s", 120_000: "min", 7_200_000: "h", 3 * 86_400_000: "d"}
    assert {longest: fitting_unit(longest)[1].split()[1] for longest in units} == units
    chart = draw_lines("Told", {"red": [1, None, 3, 4], "yellow": [None] * 4}, 4)
    (line,) = re.findall(r'class="line red" d="([^"]*)"', chart)
    assert line.count("M") == 2
    assert [chart.count(f'class="dot {side}"') for side in ("red", "yellow")] == [3, 0]
    vote = SideVote(counts=(0, 8), ballots=8, pick=2, decided_by="plurality")
    bars = draw_votes("Told", {"red": vote, "yellow": vote}, ["1", "2"])
    middles = re.findall(r'class="share" x="([^"]*)"[^>]*>100<', bars)
    assert [float(one) for one in middles] == [256, 284]


def follow(event: Event, language: str = "en") -> str:
    answer = Client().get(f"/follow/{event.code}", headers={"accept-language": language})
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "public, max-age=10")
    assert not answer.cookies
    return answer.content.decode()


def test_story_changes_with_turns_and_plans_not_with_ballots(box: BallotBox, client: Client) -> None:
    event = new_event(window_s=24 * 3600)
    Event.objects.update(next_match_at=1_900_000_000_000, ends_at=1_900_100_000_000)
    early = follow(event)
    assert ("No match yet" in early, early.count("data-moment"), "vote before" in early) == (True, 2, False)
    match = start_match(event.pk, box)
    turn = only_turn(match)
    open_now(turn, box)
    opened = follow(event)
    vote(turn, box, red=[3, 3], yellow=[5])
    assert follow(event) == opened
    play_out(turn, box)
    play(match, box, [(3, 5)])
    shown = follow(event)
    assert re.findall(r'<li value="(\d)">', shown) == ["2", "1"], "the latest first"
    for text in ("Turn 3: vote before", f"/board/{event.code}/1/2.svg", f'href="/{event.code}"'):
        assert text in shown
    latest = [re.findall('<li value="2">(.*?)</li>', follow(event, one), re.DOTALL) for one in ("en", "de")]
    assert "".join(latest[0]) != "".join(latest[1]), "in the language of each reader"
    Event.objects.update(next_match_at=box.now())
    versions = {tuple(VERSION.findall(story)) for story in (opened, shown, follow(event))}
    assert [len(one) for one in versions] == [1, 1, 1]
    Turn.objects.filter(pk=only_turn(match).pk).update(state=TurnState.PAUSED, left_ms=1_000)
    paused = follow(event)
    assert ("Voting is paused." in paused, "vote before" in paused) == (True, False)
    client.post("/play/new")
    client.post("/play/mail/delete")  # leaves a message for the next page
    assert "Address deleted" not in client.get(f"/follow/{event.code}").content.decode()
    assert "Address deleted" in client.get("/play/account").content.decode()


def test_story_after_match_names_winner_or_majorities_for_a_draw(box: BallotBox) -> None:
    event = new_event()
    play(start_match(event.pk, box), box, RED_WINS)
    late = follow(event)
    assert ("Rooks won" in late, "vote before" in late) == (True, False)
    assert Client().get("/follow/NOPE").status_code == 404
    shown = follow(play_match(box, *MATCHES["draw accepted"]).event)
    assert "Both agreed to a draw after 4 turns." in shown
    assert re.findall(r"\d of \d voters? from \w+ asked for a draw", shown) == [
        "2 of 3 voters from Doves asked for a draw",
        "2 of 3 voters from Rooks asked for a draw",
        "1 of 1 voter from Rooks asked for a draw",
    ], "half of the votes isn't a majority"
