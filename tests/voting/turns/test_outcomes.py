"""The pick of a side: the terms of its match, and lots that anyone can verify."""

from dataclasses import dataclass
from functools import partial
from hashlib import sha256

import pytest
from msgspec import convert

from games.engine.game import SIDES
from games.matches import live_turn, load_position
from games.models import Match, MatchState
from tests.voting.match_helpers import play, play_turn, start, tally_of
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import unpack_ballots
from voting.counting.lots import draw_lot
from voting.counting.tally import SideBallots, TallyTerms, decide
from voting.models import TallyRecord

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class DecisionCase:
    choices: dict[str, str]
    decided_by: str


def test_no_ballots_draws_pick_from_seed(box: BallotBox) -> None:
    turn = start(box, no_ballot_rule="random")
    after = play_turn(turn, box)
    for side, pick in (("red", after.red_pick), ("yellow", after.yellow_pick)):
        lot = sha256(f"{turn.seed}:{side}".encode()).hexdigest()
        assert pick == 1 + int(lot, 16) % 7
    assert tally_of(turn, "red").decided_by == "random"


def test_no_ballots_makes_no_pick_under_pass_rule(box: BallotBox) -> None:
    turn = start(box, no_ballot_rule="pass")
    after = play_turn(turn, box, yellow=[4])
    assert (after.red_pick, after.yellow_pick) == (None, 4)
    assert tally_of(turn, "red").decided_by == "pass"
    assert load_position(turn.match).game.view(load_position(turn.match).state, None).grid[-1] == "...Y..."


@pytest.mark.parametrize(
    ("red", "yellow", "result"), [([1], [], "red"), ([], [1], "yellow"), ([], [], "draw")]
)
def test_no_ballots_loses_match_under_forfeit_rule(
    red: list[int], yellow: list[int], result: str, box: BallotBox
) -> None:
    turn = start(box, no_ballot_rule="forfeit")
    after = play_turn(turn, box, red, yellow)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.state, match.result, match.ended_by) == (MatchState.ENDED, result, "forfeit")
    assert (after.red_pick, after.yellow_pick) == (None, None)
    assert tally_of(turn, "red").ballots == len(red)
    assert live_turn(match) is None


@pytest.mark.parametrize(
    "rule",
    [
        DecisionCase({"tally_method": "lottery"}, "lottery"),
        DecisionCase({"tie_rule": "lot"}, "lot"),
        DecisionCase({"tie_rule": "first"}, "first"),
    ],
)
def test_lots_are_reproducible_from_stored_tallies(rule: DecisionCase, box: BallotBox) -> None:
    turn = start(box, **rule.choices)
    play_turn(turn, box, red=[1, 2, 3, 3, 2, 1], yellow=[7, 6, 6, 7])
    match = turn.match
    terms = convert(match, TallyTerms, from_attributes=True)
    for side in SIDES:
        record = TallyRecord.objects.get(turn=turn, side=side)
        held = unpack_ballots(bytes(record.sealed))
        again = decide(SideBallots(side, held), range(1, 8), 7, terms, partial(draw_lot, turn.seed, side))
        assert (record.pick, record.decided_by, record.counts) == (
            again.pick,
            rule.decided_by,
            list(again.counts),
        )


def test_turns_have_unique_seeds(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 1), (2, 2), (3, 4)])
    seeds = list(turn.match.turns.values_list("seed", flat=True))
    assert len(set(seeds)) == len(seeds) == 4
    assert all(len(seed) == 32 for seed in seeds)
