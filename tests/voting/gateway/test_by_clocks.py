"""Which pick of a duel a worker is asked about: the one after which the turn is over at another time."""

from typing import Any

import pytest

from tests.voting.gateway_helpers import cast, make_room, voter
from tests.voting.match_helpers import start
from voting import protocol
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway.event_room import EventRoom
from voting.gateway.picks import moves_deadline
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
        ("forfeit", None, ["yellow"], False),  # red's time ends it as before
        ("forfeit", None, ["red"], True),  # yellow has longer
        ("forfeit", None, ["red", "yellow"], True),
        ("forfeit", 30, ["yellow"], False),
        ("forfeit", 30, ["red"], True),
        ("random", None, ["red"], False),  # whoever has the most time is waited for
        ("random", None, ["yellow"], True),
    ],
)
def test_a_pick_is_followed_if_the_turn_is_over_at_another_time_by_it(
    box: BallotBox, rule: str, cap_s: int | None, picks: list[str], moves: bool
) -> None:
    room = make_room_with(box, BOTH, rule, cap_s)
    cast(room, *picks)
    assert moves_deadline(room) is moves


def test_a_player_who_is_not_here_may_have_picked_elsewhere(box: BallotBox) -> None:
    room = make_room_with(box, {"yellow": 2})
    cast(room, "yellow")
    assert moves_deadline(room)


def test_where_both_have_as_much_time_the_deadline_does_not_tell_of_a_pick_elsewhere(box: BallotBox) -> None:
    """The other one is here, on another device, and picked at another gateway."""
    first = make_room(start(box, **DUEL).match.event_id, *(voter(name, team) for name, team in BOTH.items()))
    cast(first, "red")
    assert moves_deadline(first)
    capped = make_room_with(box, BOTH, cap_s=10)
    cast(capped, "red")
    assert moves_deadline(capped)


def test_without_clocks_nothing_follows_from_a_pick(box: BallotBox) -> None:
    room = make_room(start(box).match.event_id, *(voter(name, team) for name, team in BOTH.items()))
    cast(room, "red")
    assert not moves_deadline(room)
