"""When analyses may be shown, and what screens and phones show of them."""

from typing import Any

import pytest

from crowdgame.results.analysis.stored_analyses import (
    announce_analysis,
    load_analyses,
    load_event_analyses,
    load_match_analysis,
)
from crowdgame.results.analysis.turn_solving import store_analysis
from games.solver.solution import ESTIMATE_MARGIN
from tests.crowdgame.results.analysis.analysis_helpers import analyze_all, analyzed, begin
from tests.voting.match_helpers import RED_WINS, SELECTOR, kinds, only_turn, play, play_turn
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, Turn
from voting.turns.turns import start_match
from voting.turns.voiding import take_back_turn

pytestmark = pytest.mark.django_db


def test_announced_analysis_tells_each_column_of_the_closed_turn(box: BallotBox) -> None:
    match = begin(box, analysis="turn")
    play(match, box, [(1, 2)])
    analyze_all(box)
    shown = load_snapshot(Event.objects.get(pk=match.event_id)).match
    assert shown is not None
    assert shown.analysis is not None
    verdicts = {verdict.side: (verdict.column, verdict.quality) for verdict in shown.analysis.verdicts}
    assert verdicts == {
        "red": (1, shown.analysis.red_classes[0]),
        "yellow": (2, shown.analysis.yellow_classes[1]),
    }
    for classes, mix in (
        (shown.analysis.red_classes, shown.analysis.red_mix),
        (shown.analysis.yellow_classes, shown.analysis.yellow_mix),
    ):
        assert len(classes) == len(mix) == 7
        assert 97 <= sum(mix) <= 103  # each is rounded
        assert classes == (None,) * 7, "an estimate of the opening"
    assert shown.analysis.margin == ESTIMATE_MARGIN


@pytest.mark.parametrize(("when", "during", "afterwards"), [("off", 0, 0), ("match", 0, 4), ("turn", 3, 4)])
def test_setting_decides_when_analyses_are_shown(
    when: str, during: int, afterwards: int, box: BallotBox
) -> None:
    match = begin(box, analysis=when)
    play(match, box, RED_WINS[:3])
    analyze_all(box)
    assert len(load_analyses(match)) == during
    play(match, box, RED_WINS[3:])
    analyze_all(box)
    match.refresh_from_db()
    assert len(load_analyses(match)) == afterwards
    assert len(analyzed(match)) == afterwards


@pytest.mark.parametrize(
    "terms", [{"max_side_changes": 1}, {"hide_hints": True}, {"in_study": True, "consent": "A study."}]
)
def test_secret_sides_and_hidden_hints_delay_analyses_until_the_end(
    terms: dict[str, Any], box: BallotBox
) -> None:
    match = begin(box, analysis="turn", **terms)
    play(match, box, RED_WINS[:3])
    analyze_all(box)
    assert load_analyses(match) == {}
    assert kinds(match.event_id).count("turn.analyzed") == 0
    shown = load_snapshot(match.event).match
    assert shown is not None
    assert shown.analysis is None


def test_turn_that_is_taken_back_is_not_shown(box: BallotBox) -> None:
    match = begin(box, analysis="turn")
    play(match, box, [(1, 2)])
    analyze_all(box)
    assert load_analyses(match).keys() == {1}
    take_back_turn(match.event_id, box, lambda turn: None)
    assert load_analyses(match) == {}


def test_live_position_is_withheld_after_a_turn_without_picks(box: BallotBox) -> None:
    match = begin(box, analysis="turn", no_ballot_rule="pass")
    play_turn(only_turn(match), box)
    analyze_all(box)
    assert analyzed(match) == [1]
    assert announced(match) is None
    assert "turn.analyzed" not in kinds(match.event_id)
    assert load_analyses(match) == {}
    play(match, box, [(1, 2)])
    assert load_analyses(match).keys() == {1}


@pytest.mark.parametrize(
    ("token", "picks"),
    [("red", [(1, 2)]), ("red", [(7, 6)]), ("yellow", [(2, 1)]), ("yellow", [(6, 7)])],
    ids=["equal", "mirrored", "colors exchanged", "both"],
)
def test_live_position_is_withheld_of_an_earlier_match(
    token: str, picks: list[tuple[int, int]], box: BallotBox
) -> None:
    earlier = begin(box, analysis="turn")
    play(earlier, box, RED_WINS)
    analyze_all(box)
    Event.objects.update(options={"token": token})
    later = start_match(earlier.event_id, box)
    earlier.refresh_from_db()
    assert load_analyses(earlier).keys() == {2, 3, 4}
    assert load_match_analysis(earlier, load_analyses(earlier)) is None
    play(later, box, picks)
    assert load_event_analyses(later)[1].keys() == {1, 3, 4}
    play(later, box, [(4, 4)])
    assert load_analyses(earlier).keys() == {1, 2, 3, 4}
    assert load_match_analysis(earlier, load_analyses(earlier)) is not None


def announced(match: Match) -> Any:
    shown = load_snapshot(match.event).match
    assert shown is not None
    return shown.analysis


def test_analysis_is_announced_after_each_turn(box: BallotBox) -> None:
    match = begin(box, analysis="turn")
    play(match, box, RED_WINS[:3])
    assert announced(match) is None
    analyze_all(box)
    assert kinds(match.event_id)[-1] == "turn.analyzed"
    assert kinds(match.event_id).count("turn.analyzed") == 1, "only of the last turn"
    shown = announced(match)
    assert shown.turn == match.turns.get(number=3).pk
    take_back_turn(match.event_id, box, lambda turn: None)
    assert announced(match).turn == match.turns.get(number=2).pk


@pytest.mark.parametrize(
    "choices", [{"analysis": "match"}, {"analysis": "off"}, {"analysis": "turn", "max_side_changes": 1}]
)
def test_other_settings_announce_nothing_during_a_match(box: BallotBox, choices: dict[str, Any]) -> None:
    match = begin(box, **choices)
    play(match, box, RED_WINS[:3])
    analyze_all(box)
    assert "turn.analyzed" not in kinds(match.event_id)
    assert announced(match) is None


def decided(match: Match) -> Any:
    analysis = announced(Match.objects.select_related("event").get(pk=match.pk))
    return analysis and analysis.match


@pytest.mark.parametrize("when", ["turn", "match"])
def test_what_decided_a_match_is_announced_once_every_turn_is_analyzed(box: BallotBox, when: str) -> None:
    match = begin(box, analysis=when)
    play(match, box, RED_WINS)
    turns = list(Turn.objects.select_related("match__event").filter(match=match).order_by("-number"))
    found = []
    for turn in turns:
        store_analysis(turn)
        announce_analysis(turn, box.now())
        found.append((kinds(match.event_id).count("turn.analyzed"), decided(match)))
    assert [count for count, _ in found] == [1, 1, 1, 2], "of the last turn, and when all are there"
    assert [deciding for _, deciding in found[:-1]] == [None] * 3
    deciding = found[-1][1]
    assert deciding.mistake.verdict.side == "yellow"
    before = match.turns.get(number=deciding.mistake.number)
    assert deciding.mistake.verdict.column == before.yellow_pick
    assert sum(line.count("R") for line in deciding.mistake.board.grid) == before.number - 1
    assert deciding.turning in range(1, 5)


def test_nothing_decided_a_match_that_is_still_played(box: BallotBox) -> None:
    match = begin(box, analysis="turn")
    play(match, box, RED_WINS[:3])
    analyze_all(box)
    assert announced(match).match is None


def test_share_of_better_column_is_not_shown_with_hidden_counts(box: BallotBox) -> None:
    match = begin(box, analysis="turn")
    play(match, box, RED_WINS[:2])
    play_turn(only_turn(match), box, [1], [7, 7, 4])
    analyze_all(box)
    costly = announced(match).verdicts[0]
    assert (costly.side, costly.column, costly.held) == ("yellow", 7, 4)
    assert costly.share == pytest.approx(1 / 3)
    Event.objects.update(hide_tally=True)
    assert announced(Match.objects.select_related("event").get(pk=match.pk)).verdicts[0].share is None


def test_both_halves_of_a_turn_are_judged_together(box: BallotBox) -> None:
    match = begin(box, game=SELECTOR, analysis="turn")
    play_turn(only_turn(match), box, [4, 4, 1])
    play_turn(only_turn(match), box, [], [3, 5, 5])
    analyze_all(box)
    assert {verdict.side: verdict.column for verdict in announced(match).verdicts} == {"red": 4, "yellow": 5}
