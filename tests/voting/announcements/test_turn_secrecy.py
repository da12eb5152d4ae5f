"""Nothing that leaves the server while a turn is open gives a choice away."""

import re
from typing import Any

import msgspec
import pytest
from django.db import transaction
from redis import Redis

from crowdgame.console.control import act
from games.models import Event
from tests.voting.boxes import ask
from tests.voting.match_helpers import ballots, new_event, only_turn, open_now, run_out, start, vote
from tests.voting.states import shown
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.types import Held, Turnout
from voting.models import Announcement
from voting.protocol import Action, ActionAsk
from voting.turns.closing import close_turn
from voting.turns.turns import boxed, load_turn, start_match

pytestmark = pytest.mark.django_db


class StillBox(BallotBox):
    """Its time stands still, so that two evenings differ in nothing but their ballots."""

    def __init__(self) -> None:
        super().__init__()
        self.stands_at = super().now()

    def now(self) -> int:
        return self.stands_at


def bytes_sent_in_a_turn(event: Event, box: BallotBox, red: list[int], yellow: list[int]) -> Any:
    """Every byte that leaves the server while the turn is open, and after its reveal."""

    def press(action: Action) -> None:
        act(event.pk, ActionAsk(id=1, action=action), box)

    turn = only_turn(start_match(event.pk, box))
    open_now(turn, box)
    vote(turn, box, red, yellow)
    outside = [turnout(event.pk, turn.pk)]
    for action in ("turn.extend", "joining.lock", "turn.pause", "turn.resume", "turn.extend"):
        press(action)
    outside.append(turnout(event.pk, turn.pk))
    present = without_lot(msgspec.json.encode(shown(event.pk)))
    open_turn = [
        without_lot(bytes(row.body)) for row in Announcement.objects.filter(event=event).order_by("seq")
    ]
    run_out(load_turn(turn.pk), box)
    close_turn(turn.pk, box)
    return (outside, present, open_turn), msgspec.json.encode(shown(event.pk))


def without_lot(body: bytes) -> bytes:
    """Every turn has a seed of its own, made before anybody votes."""
    return re.sub(rb'"lot":"[0-9a-f]{64}"', b'"lot":""', body)


def turnout(event_id: int, turn_id: int) -> Turnout:
    counted = ask(lambda box: box.heartbeat(event_id, "a", (turn_id, 1), Held((3, 3))))
    return Turnout(0, counted.connected, counted.waiting, counted.red, counted.yellow)


def test_nothing_told_in_an_open_turn_depends_on_the_columns_voted(box: BallotBox, valkey_url: str) -> None:
    event = new_event()
    still = StillBox()
    sent, revealed = [], []
    for crowd in ([[1, 1, 2], [7, 7, 6]], [[7, 6, 7], [2, 1, 1]], [[4, 4, 4], [4, 4, 4]]):
        with Redis.from_url(valkey_url) as redis:
            redis.flushall()
        with transaction.atomic():
            before, after = bytes_sent_in_a_turn(event, still, *crowd)
            sent.append(before)
            revealed.append(after)
            transaction.set_rollback(True)
    still.close()
    assert sent[0] == sent[1] == sent[2]
    assert sent[0][0][0] == Turnout(0, (3, 3), 0, 3, 3)
    assert len(set(revealed)) == 3


def test_a_changed_vote_is_not_seen_from_outside(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    seen = []
    for sequence, choice in enumerate((1, 5, 7), 1):
        box.cast(boxed(turn), ballots("red", [choice] * 3, sequence))
        seen.append((turnout(turn.match.event_id, turn.pk), msgspec.json.encode(shown(turn.match.event_id))))
    assert seen[0] == seen[1] == seen[2]
