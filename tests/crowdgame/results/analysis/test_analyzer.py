"""Which turns the analyzer analyzes."""

import pytest
from django.utils import timezone

from crowdgame.results.analysis.analyzed_turn import AnalyzedTurn
from crowdgame.results.analysis.analyzer import Analyzer, solved_games, unanalyzed_turns
from crowdgame.results.analysis.models import TurnAnalysis
from crowdgame.results.analysis.stored_analyses import load_analyses, load_event_analyses
from crowdgame.results.analysis.turn_solving import Work, solve_cached, store_analysis
from tests.crowdgame.organizer.cups.cup_helpers import let_win
from tests.crowdgame.results.analysis.analysis_helpers import analyze_all, analyzed, begin
from tests.voting.match_helpers import (
    SELECTOR,
    new_event,
    only_turn,
    open_now,
    play,
    play_turn,
    run_out,
    vote,
)
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement, Event, Match, Turn, TurnState
from voting.turns.voiding import take_back_turn

pytestmark = pytest.mark.django_db


def test_solver_knows_three_games() -> None:
    assert {"simultaneous-captains-mistress", SELECTOR, "captains-mistress"} == solved_games()


def test_only_resolved_and_announced_turns_are_analyzed(box: BallotBox) -> None:
    match = begin(box)
    turn = only_turn(match)
    seen = [analyzed(match)]
    for step in (open_now, lambda turn, box: vote(turn, box, [1, 1], [2]), run_out):
        step(turn, box)
        analyze_all(box)
        seen.append(analyzed(match))
    assert seen == [[]] * 4, "an open turn, also after its deadline"
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.PAUSED, left_ms=1)
    analyze_all(box)
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.OPEN, left_ms=None)
    assert analyzed(match) == []
    play_turn(turn, box)
    Announcement.objects.filter(event=match.event).update(sent_at=None)
    analyze_all(box)
    assert analyzed(match) == [], "the reveal is not announced yet"
    Announcement.objects.filter(event=match.event).update(sent_at=timezone.now())
    other = begin(box)
    Announcement.objects.filter(event=other.event).update(sent_at=None)
    analyze_all(box)
    assert analyzed(match) == [1]


def test_turn_is_analyzed_once(box: BallotBox) -> None:
    match = begin(box)
    play(match, box, [(1, 2)])
    turn = Turn.objects.select_related("match__event").get(match=match, number=1)
    for _ in range(2):
        store_analysis(turn)
        analyze_all(box)
    assert analyzed(match) == [1]


def test_analyzer_leaves_a_turn_alone_while_it_is_revealed(box: BallotBox) -> None:
    match = begin(box)
    play(match, box, [(1, 2)])
    for reveal_ms, expected in ((60_000, []), (0, [1])):
        Analyzer(box, reveal_ms, looked_at=float("inf")).run_once()  # without a backlog
        assert analyzed(match) == expected


def test_turn_that_is_taken_back_meanwhile_is_not_stored(box: BallotBox) -> None:
    match = begin(box)
    play(match, box, [(1, 2)])

    def take_back_and_solve(work: Work) -> AnalyzedTurn:
        take_back_turn(match.event_id, box, lambda turn: None)
        return work()

    turn = Turn.objects.select_related("match__event").get(match=match, number=1, state=TurnState.RESOLVED)
    assert store_analysis(turn, take_back_and_solve) is None
    assert analyzed(match) == []


def test_event_analyses_end_with_the_match_and_leave_out_other_dry_runs(box: BallotBox) -> None:
    played = begin(box)
    play(played, box, [(1, 2)])
    analyze_all(box)
    packed = TurnAnalysis.objects.get().packed
    event = new_event(analysis="match")
    for rehearsed in (False, True, False):
        match = let_win(event, 1, rehearsed=rehearsed)
        turn = Turn.objects.create(
            match=match, number=match.number, state=TurnState.RESOLVED, opens_at=1, closes_at=2, resolved_at=3
        )
        TurnAnalysis.objects.create(turn=turn, packed=packed)
    matches = Match.objects.filter(event=event).select_related("event").order_by("number")
    shown = [(set(load_event_analyses(match)), set(load_analyses(match))) for match in matches]
    assert shown == [({1}, {1}), ({1, 2}, {2}), ({1, 3}, {3})]


def test_turns_that_begin_alike_are_solved_once(box: BallotBox) -> None:
    solve_cached.cache_clear()
    matches = [begin(box) for _ in range(3)]
    for match, pick in zip(matches, (1, 2, 3), strict=True):
        play(match, box, [(pick, 7)])
    analyze_all(box)
    assert [analyzed(match) for match in matches] == [[1]] * 3
    assert solve_cached.cache_info().misses == 1


def test_secret_half_is_analyzed_with_the_whole_turn(box: BallotBox) -> None:
    match = begin(box, game=SELECTOR, analysis="turn")
    play_turn(only_turn(match), box, [4, 4, 1])
    analyze_all(box)
    assert analyzed(match) == [], "the holder's pick is still secret"
    play_turn(only_turn(match), box, [], [3, 5, 5])
    analyze_all(box)
    first, second = (load_analyses(match)[number] for number in (1, 2))
    assert (list(first.sides), list(second.sides)) == (["red"], ["yellow"])
    assert first.solution == second.solution
    assert first.after is None
    assert second.after == second.solution.matrix[3][4]


def test_backlog_is_analyzed_after_recent_turns(box: BallotBox) -> None:
    old, new = begin(box), begin(box)
    play(old, box, [(1, 2)])
    Turn.objects.filter(match=old, number=1).update(opens_at=0, closes_at=1)
    play(new, box, [(1, 2)])
    analyzer = Analyzer(box, reveal_ms=0)
    analyzer.run_once()
    assert (analyzed(new), analyzed(old)) == ([1], [])
    analyzer.run_once()
    assert analyzed(old) == [1]


def test_turn_that_fails_holds_up_no_other(box: BallotBox) -> None:
    broken, match = begin(box), begin(box)
    for each in (match, broken):
        play(each, box, [(1, 2)])
    Match.objects.filter(pk=broken.pk).update(options={"columns": 99})
    analyze_all(box)
    assert (analyzed(match), analyzed(broken)) == ([1], [])
    assert unanalyzed_turns().count() == 1


def test_analysis_that_is_turned_on_later_covers_earlier_turns(box: BallotBox) -> None:
    match = begin(box, analysis="off")
    play(match, box, [(1, 2)])
    analyze_all(box)
    Event.objects.update(analysis="turn")
    analyze_all(box)
    assert analyzed(match) == [1]
