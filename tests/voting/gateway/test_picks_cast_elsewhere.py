"""A player of a duel sees the pick that another gateway took, or that a worker cast in advance."""

import pytest

from tests.voting.gateway.presence_helpers import with_presence
from tests.voting.gateway_helpers import FakeSocket, make_room, voter
from tests.voting.match_helpers import open_now, start
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.gateway.event_room import EventRoom
from voting.gateway.presence import Presence
from voting.models import Turn
from voting.sources.casting import cast_pick

pytestmark = pytest.mark.django_db(transaction=True)
RED = Ballot("v1", "red", 5, 1, blind="ab" * 16)


def begin(box: BallotBox, **terms: int) -> tuple[Turn, EventRoom, tuple[FakeSocket, FakeSocket]]:
    turn = start(box, **terms)
    open_now(turn, box)
    sockets = voter("v1", 1), voter("v2", 2)
    return turn, make_room(turn.match.event_id, *sockets), sockets


def heartbeats(room: EventRoom, count: int = 2) -> None:
    async def scenario(presence: Presence) -> None:
        for _ in range(count):
            await presence.send_updates(room, phones=True, teams=False)

    with_presence(AsyncBallotBox(), scenario)


def test_player_receives_pick_cast_by_a_worker_once(box: BallotBox) -> None:
    turn, room, (red, yellow) = begin(box, bank_s=86_400, window_s=86_400)
    cast_pick(turn, RED, box)
    heartbeats(room)
    assert [(ballot.voter, ballot.choice) for ballot in red.ballots_shown] == [("v1", 5)]
    assert yellow.welcomed_again == 0
    assert room.waiting_on("red") == 0
    assert room.waiting_on("yellow") == 1


def test_player_who_voted_here_is_not_welcomed_again(box: BallotBox) -> None:
    turn, room, (red, _) = begin(box, bank_s=86_400, window_s=86_400)
    cast_pick(turn, RED, box)
    room.count_vote(room.voters["v1"], room.turn_ref)
    heartbeats(room)
    assert red.welcomed_again == 0


def test_voters_of_an_event_are_not_looked_up(box: BallotBox) -> None:
    turn, room, (red, _) = begin(box)
    cast_pick(turn, RED, box)
    heartbeats(room)
    assert red.welcomed_again == 0
