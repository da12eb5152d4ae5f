"""A player of a duel sees the pick that another gateway took, or that a worker cast in advance."""

import pytest

from tests.voting.gateway.presence_helpers import send_updates
from tests.voting.gateway_helpers import make_room, voter
from tests.voting.match_helpers import open_now, start
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.sources.casting import cast_pick

pytestmark = pytest.mark.django_db(transaction=True)
RED = Ballot("v1", "red", 5, 1, blind="ab" * 16)
DUEL = {"bank_s": 86_400, "window_s": 86_400}


@pytest.mark.parametrize(
    ("terms", "voted_here", "shown"),
    [(DUEL, False, [("v1", 5)]), (DUEL, True, []), ({}, False, [])],
    ids=["once", "not if they voted here", "not in an event"],
)
def test_player_receives_pick_cast_by_a_worker(
    terms: dict[str, int], voted_here: bool, shown: list[tuple[str, int]], box: BallotBox
) -> None:
    turn = start(box, **terms)
    open_now(turn, box)
    red, yellow = voter("v1", 1), voter("v2", 2)
    room = make_room(turn.match.event_id, red, yellow)
    cast_pick(turn, RED, box)
    if voted_here:
        room.count_vote(room.voters["v1"], room.turn_ref)
    send_updates(room, int, int)
    assert [(ballot.voter, ballot.choice) for ballot in red.ballots_shown] == shown
    assert (red.welcomed_again, yellow.welcomed_again) == (len(shown), 0)
    if shown:
        assert (room.waiting_on("red"), room.waiting_on("yellow")) == (0, 1)
