"""Time banks: a gateway calls a worker only after a pick that moves the deadline of the turn."""

from typing import Any

import pytest

from tests.voting.gateway_helpers import cast, make_room, voter
from tests.voting.match_helpers import start
from voting import protocol
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway.event_room import EventRoom
from voting.gateway.presence import may_move_deadline
from voting.turns.turns import change_turn

pytestmark = pytest.mark.django_db
DUEL: dict[str, Any] = {"bank_s": 60, "window_s": 60, "close_early": True}
BOTH = {"red": 1, "yellow": 2}


def make_room_with(
    box: BallotBox, here: dict[str, int], rule: str = "forfeit", cap_s: int | None = None
) -> EventRoom:
    """Red has 10 s left, yellow 50 s."""
    turn = start(box, no_ballot_rule=rule, cap_s=cap_s, **DUEL)
    most_s = cap_s or 50
    lasts_s = 10 if rule == "forfeit" else most_s
    times = {"red_bank_ms": 10_000, "yellow_bank_ms": 50_000, "closes_at": turn.opens_at + lasts_s * 1000}
    change_turn(turn, protocol.TurnMoved, box, **times)
    return make_room(turn.match.event_id, *(voter(name, team) for name, team in here.items()))


@pytest.mark.parametrize(
    ("rule", "cap_s", "picks", "moves"),
    [
        ("forfeit", None, ["yellow"], False),  # red's time still ends the turn
        ("forfeit", None, ["red"], True),  # yellow has longer
        ("forfeit", None, ["red", "yellow"], True),
        ("forfeit", 30, ["yellow"], False),
        ("forfeit", 30, ["red"], True),
        ("random", None, ["red"], False),  # the side with more time sets the deadline
        ("random", None, ["yellow"], True),
    ],
)
def test_moves_deadline_depends_on_pick_and_no_ballot_rule(
    box: BallotBox, rule: str, cap_s: int | None, picks: list[str], moves: bool
) -> None:
    room = make_room_with(box, BOTH, rule, cap_s)
    cast(room, *picks)
    assert may_move_deadline(room) is moves


def test_moves_deadline_if_other_player_is_not_connected(box: BallotBox) -> None:
    room = make_room_with(box, {"yellow": 2})
    cast(room, "yellow")
    assert may_move_deadline(room)


def test_moves_deadline_if_both_banks_are_equal(box: BallotBox) -> None:
    """The other player may have picked on another device, at another gateway."""
    first = make_room(start(box, **DUEL).match.event_id, *(voter(name, team) for name, team in BOTH.items()))
    cast(first, "red")
    assert may_move_deadline(first)
    capped = make_room_with(box, BOTH, cap_s=10)
    cast(capped, "red")
    assert may_move_deadline(capped)


def test_pick_without_time_bank_does_not_move_deadline(box: BallotBox) -> None:
    room = make_room(start(box).match.event_id, *(voter(name, team) for name, team in BOTH.items()))
    cast(room, "red")
    assert not may_move_deadline(room)
