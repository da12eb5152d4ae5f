"""Duel operations for tests, run in a stack's own database by `tests.organizer`."""

from typing import Any

from django.db.models import F

from crowdgame.accounts.guest_names import new_guest
from crowdgame.play.duels.duels import (
    DuelSettings,
    join_duel,
    load_seat_key,
    new_duel,
    seat_number,
    start_for_one,
)
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from tests.voting.match_helpers import RED_WINS, only_turn, play
from voting import protocol
from voting.announcements.outbox import announce
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import turn_keys
from voting.matches import claim_turn, event_lock
from voting.models import Match, StoredBallot
from voting.turns.turns import place_and_relay

box = BallotBox()


def duel(time_control: str = "3-days", casual: bool = False) -> dict[str, Any]:
    """Start a duel; return its event id, code and keys by team."""
    one, two = new_guest(), new_guest()
    begun = new_duel(one, DuelSettings(time_control=TIME_CONTROLS_BY_SLUG[time_control], casual=casual))
    taken = join_duel(begun.event.code, two, box)
    keys = [load_seat_key(taken, guest) for guest in (taken.one, taken.two) if guest]
    return {"id": taken.event_id, "code": taken.event.code, "keys": keys}


def duels(waiting: int = 3, over: int = 2) -> str:
    """Create waiting, live and finished duels; return the code of the last waiting one."""
    for _ in range(over):
        play(Match.objects.get(event_id=duel("5-min")["id"]), box, RED_WINS)
    duel()
    begun: list[Duel] = [new_duel(new_guest(), DuelSettings()) for _ in range(waiting)]
    return begun[-1].event.code


def against_crowd(begun: bool = True, listed: bool = True) -> dict[str, Any]:
    """Create a guest's duel against the crowd; return its event, code, and the guest's place and key."""
    guest = new_guest()
    made = new_duel(guest, DuelSettings(crowd=True, listed=listed))
    if begun:
        start_for_one(made.event.code, guest, box)
    place = seat_number(made, guest)
    return {"id": made.event_id, "code": made.event.code, "place": place, "key": load_seat_key(made, guest)}


def run_down_clock(code: str, ms: int) -> int:
    """Move the turn into the past until `ms` are left; return its id."""
    match = Match.objects.get(event__code=code, state="playing")
    turn = only_turn(match)
    by = turn.closes_at - box.now() - ms
    with event_lock(match.event_id):
        turn.refresh_from_db()
        assert claim_turn(turn, opens_at=turn.opens_at - by, closes_at=turn.closes_at - by)
        announce(match.event_id, protocol.TurnMoved, box.now())
        StoredBallot.objects.filter(turn=turn).update(stored_at=F("stored_at") - by)
    for side in box.picked_at(match.event_id, turn.pk):  # move the times of the picks, too
        box._redis.hincrby(turn_keys(match.event_id, turn.pk)[0], f"{side}_at", -by)
    place_and_relay(turn, box, create=False)
    return turn.pk
