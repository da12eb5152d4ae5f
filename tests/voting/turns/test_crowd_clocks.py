"""A crowd's clock runs until everybody of it has voted, and has stood since the last of its votes."""

from typing import Any

import pytest

from games.engine.game import Side
from games.models import EndedBy, MatchResult, Turn, TurnState
from tests.voting.boxes import ask
from tests.voting.turns.test_banks import age, begin, closed_early, match_of
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.types import Held, Turnout
from voting.counting.ballots import Ballot
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db
CROWD: dict[str, Any] = {"crowd_clocks": True, "bank_s": 60, "increment_s": 5, "close_early": False}


def pick(turn: Turn, side: Side, number: int) -> None:
    ballot = Ballot(f"{side}{number}", side, number, 1, blind="0" * 32)
    ask(lambda box: box.cast(turn.match.event_id, turn.pk, turn.epoch, [ballot]))


def heartbeat(turn: Turn, red: int, yellow: int) -> Turnout:
    """A gateway with two phones a side says how many of them have yet to vote."""
    asked = (turn.pk, turn.epoch)
    return ask(lambda box: box.heartbeat(turn.match.event_id, "a", asked, Held((2, 2), (red, yellow))))


def test_one_vote_of_many_stops_no_clock(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    for side in ("red", "yellow"):
        pick(turn, side, 1)
    assert heartbeat(turn, 1, 1).all_at == (0, 0)
    assert closed_early(turn, box).state == TurnState.OPEN
    assert load_turn(turn.pk).closes_at == turn.closes_at


def test_each_side_pays_until_the_last_of_its_votes(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    pick(turn, "red", 1)
    turn = age(turn, box, 4_000)
    pick(turn, "red", 2)
    assert heartbeat(turn, 0, 2).all_at[0] > 0
    turn = age(closed_early(turn, box), box, 20_000)
    for number in (1, 2):
        pick(turn, "yellow", number)
    assert all(heartbeat(turn, 0, 0).all_at)
    after = closed_early(turn, box)
    assert after.state == TurnState.RESOLVED
    assert after.yellow_used_ms == pytest.approx(20_000, abs=8_000)
    assert after.red_used_ms is not None
    assert after.red_used_ms < 20_000
    following = match_of(turn).turns.get(number=2)
    assert following.red_bank_ms == 60_000 - after.red_used_ms + 5_000


def test_who_comes_late_is_waited_for(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    pick(turn, "red", 1)
    assert heartbeat(turn, 0, 1).all_at[0]
    assert heartbeat(turn, 1, 1).all_at == (0, 0)
    assert box.all_voted_at(turn.match.event_id, turn.pk) == {}


def test_who_has_just_gone_may_come_back_and_vote(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    pick(turn, "red", 1)
    heartbeat(turn, 1, 2)
    asked = (turn.pk, turn.epoch)
    counted = ask(lambda own: own.heartbeat(turn.match.event_id, "a", asked, Held((1, 2), (0, 2))))
    assert counted.all_at == (0, 0)


def test_a_clock_that_runs_out_ends_the_turn_and_votes_so_far_count(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    pick(turn, "red", 3)
    pick(turn, "yellow", 4)
    heartbeat(turn, 1, 1)
    turn = age(turn, box, 60_000)
    close_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 3, 4)
    assert (after.red_used_ms, after.yellow_used_ms) == (60_000, 60_000)


def test_a_side_of_which_nobody_voted_in_its_time_has_lost(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    pick(turn, "yellow", 4)
    turn = age(turn, box, 60_000)
    close_turn(turn.pk, box)
    match = match_of(turn)
    assert (match.result, match.ended_by) == (MatchResult.YELLOW, EndedBy.TIME)
