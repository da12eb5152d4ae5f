from typing import Any

import pytest
from django.utils import timezone

from crowdgame.results.analysis.analyzed_turn import AnalyzedTurn
from crowdgame.results.analysis.analyzer import Analyzer, unanalyzed_turns
from crowdgame.results.analysis.models import TurnAnalysis
from crowdgame.results.analysis.stored_analyses import (
    announce_analysis,
    load_analyses,
    load_event_analyses,
    load_match_analysis,
)
from crowdgame.results.analysis.turn_solving import Work, solve_cached, store_analysis
from games.solver.solution import ESTIMATE_MARGIN
from tests.crowdgame.organizer.cups.cup_helpers import let_win
from tests.crowdgame.results.analysis.analysis_helpers import analyze_all, analyzed, begin
from tests.voting import match_helpers as helpers
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement, Event, Match, Turn, TurnState
from voting.turns.turns import start_match
from voting.turns.voiding import take_back_turn

pytestmark = pytest.mark.django_db


def test_only_resolved_and_announced_turns_are_analyzed(box: BallotBox) -> None:
    match = begin(box)
    turn, announcements = helpers.only_turn(match), Announcement.objects.filter(event=match.event)

    def analyze() -> list[int]:
        analyze_all(box)
        return analyzed(match)

    seen = [analyze()]
    for step in (helpers.open_now, lambda turn, box: helpers.vote(turn, box, [1, 1], [2]), helpers.run_out):
        step(turn, box)
        seen.append(analyze())
    assert seen == [[]] * 4, "an open turn, also after its deadline"
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.PAUSED, left_ms=1)
    assert analyze() == []
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.OPEN, left_ms=None)
    helpers.play_turn(turn, box)
    announcements.update(sent_at=None)
    assert analyze() == [], "the reveal is not announced yet"
    announcements.update(sent_at=timezone.now())
    Announcement.objects.filter(event=begin(box).event).update(sent_at=None)
    assert analyze() == [1], "another event's announcements don't matter"


def test_revealed_turns_are_analyzed_then_the_backlog_each_position_once(box: BallotBox) -> None:
    solve_cached.cache_clear()
    old, new, broken = (begin(box, analysis="off") for _ in range(3))
    for match, pick in zip((old, new, broken), (1, 2, 3), strict=True):
        helpers.play(match, box, [(pick, 7)])
    Turn.objects.filter(match=old, number=1).update(opens_at=0, closes_at=1)
    Match.objects.filter(pk=broken.pk).update(options={"columns": 99})
    for analysis, reveal_ms, expected in (("off", 0, []), ("turn", 60_000, []), ("turn", 0, [1])):
        Event.objects.update(analysis=analysis)
        analyzer = Analyzer(box, reveal_ms, looked_at=float("inf"))  # without a backlog
        for _ in (new, broken):
            analyzer.run_once()
        assert (analyzed(new), analyzed(old)) == (expected, [])
    analyze_all(box)
    assert (analyzed(old), analyzed(broken)) == ([1], []), "what fails holds up no other"
    assert unanalyzed_turns().count() == 1
    assert solve_cached.cache_info().misses == 1


def announced(match: Match) -> Any:
    shown = load_snapshot(Event.objects.get(pk=match.event_id)).match
    assert shown is not None
    return shown.analysis


def test_turn_that_is_taken_back_meanwhile_is_not_stored(box: BallotBox) -> None:
    match = begin(box)
    helpers.play(match, box, [(1, 2)])

    def take_back_and_solve(work: Work) -> AnalyzedTurn:
        take_back_turn(match.event_id, box, lambda turn: None)
        return work()

    turn = Turn.objects.select_related("match__event").get(match=match, number=1, state=TurnState.RESOLVED)
    assert store_analysis(turn, take_back_and_solve) is None
    assert analyzed(match) == []


def test_event_analyses_end_with_the_match_and_leave_out_other_dry_runs(box: BallotBox) -> None:
    played = begin(box)
    helpers.play(played, box, [(1, 2)])
    analyze_all(box)
    packed = TurnAnalysis.objects.get().packed
    event = helpers.new_event(analysis="match")
    for rehearsed in (False, True, False):
        match = let_win(event, 1, rehearsed=rehearsed)
        turn = Turn.objects.create(
            match=match, number=match.number, state=TurnState.RESOLVED, opens_at=1, closes_at=2, resolved_at=3
        )
        TurnAnalysis.objects.create(turn=turn, packed=packed)
    matches = Match.objects.filter(event=event).select_related("event").order_by("number")
    shown = [(set(load_event_analyses(match)), set(load_analyses(match))) for match in matches]
    assert shown == [({1}, {1}), ({1, 2}, {2}), ({1, 3}, {3})]


def test_secret_half_is_analyzed_and_judged_with_the_whole_turn(box: BallotBox) -> None:
    match = begin(box, game=helpers.SELECTOR, analysis="turn")
    helpers.play_turn(helpers.only_turn(match), box, [4, 4, 1])
    analyze_all(box)
    assert analyzed(match) == [], "the holder's pick is still secret"
    helpers.play_turn(helpers.only_turn(match), box, [], [3, 5, 5])
    analyze_all(box)
    first, second = (load_analyses(match)[number] for number in (1, 2))
    assert (list(first.sides), list(second.sides)) == (["red"], ["yellow"])
    assert first.solution == second.solution
    assert first.after is None
    assert second.after == second.solution.matrix[3][4]
    assert {verdict.side: verdict.column for verdict in announced(match).verdicts} == {"red": 4, "yellow": 5}


def test_analysis_of_last_turn_is_announced_with_each_column(box: BallotBox) -> None:
    match = begin(box, analysis="turn")
    helpers.play(match, box, helpers.RED_WINS[:3])
    assert announced(match) is None
    analyze_all(box)
    assert helpers.kinds(match.event_id)[-1] == "turn.analyzed"
    assert helpers.kinds(match.event_id).count("turn.analyzed") == 1, "only of the last turn"
    shown = announced(match)
    assert (shown.turn, shown.margin) == (match.turns.get(number=3).pk, ESTIMATE_MARGIN)
    assert shown.match is None, "nothing has decided it yet"
    for classes, mix in ((shown.red_classes, shown.red_mix), (shown.yellow_classes, shown.yellow_mix)):
        assert len(classes) == len(mix) == 7
        assert 97 <= sum(mix) <= 103  # each is rounded
    assert {verdict.side: verdict.column for verdict in shown.verdicts} == {"red": 1, "yellow": 2}
    take_back_turn(match.event_id, box, lambda turn: None)
    assert announced(match).turn == match.turns.get(number=2).pk
    assert load_analyses(match).keys() == {1, 2}


@pytest.mark.parametrize(
    ("terms", "during"),
    [
        ({"analysis": "off"}, 0),
        ({"analysis": "match"}, 0),
        ({"analysis": "turn"}, 3),
        ({"analysis": "turn", "max_side_changes": 1}, 0),
        ({"analysis": "turn", "hide_hints": True}, 0),
        ({"analysis": "turn", "in_study": True, "consent": "A study."}, 0),
    ],
    ids=str,
)
def test_terms_decide_when_analyses_are_shown(terms: dict[str, Any], during: int, box: BallotBox) -> None:
    match = begin(box, **terms)
    helpers.play(match, box, helpers.RED_WINS[:3])
    analyze_all(box)
    assert len(load_analyses(match)) == during
    assert ("turn.analyzed" in helpers.kinds(match.event_id)) == (during > 0)
    assert (announced(match) is not None) == (during > 0)
    helpers.play(match, box, helpers.RED_WINS[3:])
    analyze_all(box)
    match.refresh_from_db()
    afterwards = 0 if terms["analysis"] == "off" else 4
    assert len(load_analyses(match)) == len(analyzed(match)) == afterwards


def test_live_position_is_withheld_after_a_turn_without_picks(box: BallotBox) -> None:
    match = begin(box, analysis="turn", no_ballot_rule="pass")
    helpers.play_turn(helpers.only_turn(match), box)
    analyze_all(box)
    assert analyzed(match) == [1]
    assert announced(match) is None
    assert "turn.analyzed" not in helpers.kinds(match.event_id)
    assert load_analyses(match) == {}
    helpers.play(match, box, [(1, 2)])
    assert load_analyses(match).keys() == {1}


def test_share_of_better_column_is_not_shown_with_hidden_counts(box: BallotBox) -> None:
    match = begin(box, analysis="turn")
    helpers.play(match, box, helpers.RED_WINS[:2])
    helpers.play_turn(helpers.only_turn(match), box, [1], [7, 7, 4])
    analyze_all(box)
    costly = announced(match).verdicts[0]
    assert (costly.side, costly.column, costly.held) == ("yellow", 7, 4)
    assert costly.share == pytest.approx(1 / 3)
    Event.objects.update(hide_tally=True)
    assert announced(match).verdicts[0].share is None


@pytest.mark.parametrize(
    ("token", "picks"),
    [("red", [(1, 2)]), ("red", [(7, 6)]), ("yellow", [(2, 1)]), ("yellow", [(6, 7)])],
    ids=["equal", "mirrored", "colors exchanged", "both"],
)
def test_earlier_match_hides_live_position(token: str, picks: list[tuple[int, int]], box: BallotBox) -> None:
    earlier = begin(box, analysis="turn")
    helpers.play(earlier, box, helpers.RED_WINS)
    analyze_all(box)
    Event.objects.update(options={"token": token})
    later = start_match(earlier.event_id, box)
    earlier.refresh_from_db()
    assert load_analyses(earlier).keys() == {2, 3, 4}
    assert load_match_analysis(earlier, load_analyses(earlier)) is None
    helpers.play(later, box, picks)
    assert load_event_analyses(later)[1].keys() == {1, 3, 4}
    helpers.play(later, box, [(4, 4)])
    assert load_analyses(earlier).keys() == {1, 2, 3, 4}
    assert load_match_analysis(earlier, load_analyses(earlier)) is not None


@pytest.mark.parametrize("when", ["turn", "match"])
def test_what_decided_a_match_is_announced_once_every_turn_is_analyzed(box: BallotBox, when: str) -> None:
    match = begin(box, analysis=when)
    helpers.play(match, box, helpers.RED_WINS)
    found = []
    for turn in Turn.objects.select_related("match__event").filter(match=match).order_by("-number"):
        store_analysis(turn)
        announce_analysis(turn, box.now())
        shown = announced(match)
        found.append((helpers.kinds(match.event_id).count("turn.analyzed"), shown and shown.match))
    assert [count for count, _ in found] == [1, 1, 1, 2], "of the last turn, and when all are there"
    *earlier, deciding = (deciding for _, deciding in found)
    assert earlier == [None] * 3
    assert deciding.mistake.verdict.side == "yellow"
    before = match.turns.get(number=deciding.mistake.number)
    assert deciding.mistake.verdict.column == before.yellow_pick
    assert sum(line.count("R") for line in deciding.mistake.board.grid) == before.number - 1
    assert deciding.turning in range(1, 5)
