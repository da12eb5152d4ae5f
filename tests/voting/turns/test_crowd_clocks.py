"""Crowd clocks: a side's time bank runs until its last voter has voted."""

from typing import Any

import pytest

from games.engine.game import Side
from tests.voting.box_helpers import ask
from tests.voting.turns.test_banks import age, begin, closed_early, match_of
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import PresenceCounts
from voting.counting.ballots import Ballot
from voting.models import MatchResult, Turn, TurnState
from voting.terms import Ending
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db
CROWD: dict[str, Any] = {"crowd_clocks": True, "bank_s": 60, "increment_s": 5, "close_early": False}


def pick(turn: Turn, side: Side, number: int) -> None:
    ballot = Ballot(f"{side}{number}", side, number, 1, blind="0" * 32)
    ask(lambda box: box.cast(turn.match.event_id, turn.pk, turn.epoch, [ballot]))


def heartbeat(turn: Turn, red: int, yellow: int, phones: tuple[int, int] = (2, 2)) -> tuple[int, int]:
    """The heartbeat of a gateway, of whose phones `red` and `yellow` have yet to vote; when all had voted."""
    present = PresenceCounts(phones, (red, yellow))
    asked = (turn.pk, turn.epoch)
    return ask(lambda box: box.heartbeat(turn.match.event_id, "a", asked, present)).all_voted_at


def test_crowd_clock_runs_until_all_of_side_voted(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    for side in ("red", "yellow"):
        pick(turn, side, 1)
    assert heartbeat(turn, 1, 1) == (0, 0)
    assert closed_early(turn, box).state == TurnState.OPEN
    assert load_turn(turn.pk).closes_at == turn.closes_at


def test_crowd_clock_charges_time_until_last_vote(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    pick(turn, "red", 1)
    turn = age(turn, box, 4_000)
    pick(turn, "red", 2)
    assert heartbeat(turn, 0, 2)[0] > 0
    turn = age(closed_early(turn, box), box, 20_000)
    for number in (1, 2):
        pick(turn, "yellow", number)
    assert all(heartbeat(turn, 0, 0))
    after = closed_early(turn, box)
    assert after.state == TurnState.RESOLVED
    assert after.yellow_used_ms == pytest.approx(20_000, abs=8_000)
    assert after.red_used_ms is not None
    assert after.red_used_ms < 20_000
    following = match_of(turn).turns.get(number=2)
    assert following.red_bank_ms == 60_000 - after.red_used_ms + 5_000


def test_crowd_clock_waits_for_voter_who_joins_late(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    pick(turn, "red", 1)
    assert heartbeat(turn, 0, 1)[0]
    assert heartbeat(turn, 1, 1) == (0, 0)
    assert box.all_voted_at(turn.match.event_id, turn.pk) == {}


def test_crowd_clock_waits_for_voter_who_just_disconnected(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    pick(turn, "red", 1)
    heartbeat(turn, 1, 2)
    assert heartbeat(turn, 0, 2, phones=(1, 2)) == (0, 0)


def test_crowd_clock_running_out_counts_votes_so_far(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    pick(turn, "red", 3)
    pick(turn, "yellow", 4)
    heartbeat(turn, 1, 1)
    turn = age(turn, box, 60_000)
    close_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 3, 4)
    assert (after.red_used_ms, after.yellow_used_ms) == (60_000, 60_000)


def test_side_without_votes_in_time_loses(box: BallotBox) -> None:
    turn = begin(box, **CROWD)
    pick(turn, "yellow", 4)
    turn = age(turn, box, 60_000)
    close_turn(turn.pk, box)
    match = match_of(turn)
    assert (match.result, match.ended_by) == (MatchResult.YELLOW, Ending.TIME)
