"""Picks and votes that move a deadline: early close and time banks."""

from typing import Any

import pytest

from tests.voting.box_helpers import queued_tasks
from tests.voting.gateway.presence_helpers import send_updates
from tests.voting.gateway_helpers import FakeSocket, cast, make_room, voter
from tests.voting.match_helpers import new_event, only_turn, open_now, start, vote
from voting import protocol
from voting.admission.seats import Seat
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway.presence import may_move_deadline
from voting.terms import HANDS, PHONES
from voting.turns.turns import change_turn, start_match

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(("hands", "voted", "requests"), [(False, 2, 4), (False, 1, 0), (True, 1, 19)])
def test_early_close_requests_back_off_unless_hands_vote(
    hands: bool, voted: int, requests: int, box: BallotBox, valkey_url: str
) -> None:
    """In twenty heartbeats, a gateway requests an early close after two, four, eight and sixteen.

    With a show of hands it requests one each time, because gateways are not notified of counted hands.
    """
    event = new_event(close_early=True)
    event.teams.filter(number=2).update(source=HANDS if hands else PHONES)
    turn = only_turn(start_match(event.pk, box))
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4][: voted - 1])
    names = ["red1"] if hands else ["red1", "yellow1"]
    sockets = [FakeSocket(Seat(event.pk, name, team)) for team, name in enumerate(names, 1)]
    room = make_room(event.pk, *sockets)
    cast(room, *names[:voted])

    send_updates(room, *[int] * 20, phones=False)
    assert len(queued_tasks(valkey_url)) == requests


DUEL: dict[str, Any] = {"bank_s": 60, "window_s": 60, "close_early": True}
FORFEIT, RANDOM = DUEL | {"no_ballot_rule": "forfeit"}, DUEL | {"no_ballot_rule": "random"}
BOTH = ["red", "yellow"]


@pytest.mark.parametrize(
    ("terms", "closes_after_s", "here", "picks", "moves"),
    [
        (FORFEIT, 10, BOTH, ["yellow"], False),  # red's time still ends the turn
        (FORFEIT, 10, BOTH, ["red"], True),  # yellow has longer
        (FORFEIT, 10, BOTH, BOTH, True),
        (FORFEIT | {"cap_s": 30}, 10, BOTH, ["yellow"], False),
        (FORFEIT | {"cap_s": 30}, 10, BOTH, ["red"], True),
        (RANDOM, 50, BOTH, ["red"], False),  # the side with more time sets the deadline
        (RANDOM, 50, BOTH, ["yellow"], True),
        (FORFEIT, 10, ["yellow"], ["yellow"], True),  # the other player is not connected
        (DUEL, None, BOTH, ["red"], True),  # equal banks: the other may have picked at another gateway
        (FORFEIT | {"cap_s": 10}, 10, BOTH, ["red"], True),
        ({}, None, BOTH, ["red"], False),  # no time bank
    ],
)
def test_pick_moves_deadline_of_time_bank(
    box: BallotBox,
    *,
    terms: dict[str, Any],
    closes_after_s: int | None,
    here: list[str],
    picks: list[str],
    moves: bool,
) -> None:
    """Red has 10 s left and yellow 50 s, unless `closes_after_s` is None."""
    turn = start(box, **terms)
    if closes_after_s:
        times = {"red_bank_ms": 10_000, "yellow_bank_ms": 50_000}
        change_turn(turn, protocol.TurnMoved, box, **times, closes_at=turn.opens_at + closes_after_s * 1000)
    room = make_room(turn.match.event_id, *(voter(side, BOTH.index(side) + 1) for side in here))
    cast(room, *picks)
    assert may_move_deadline(room) is moves
