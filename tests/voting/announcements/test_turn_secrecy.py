"""Nothing that the server sends during an open turn reveals a choice."""

import re
from typing import Any

import msgspec
import pytest
from django.db import transaction
from redis import Redis

from crowdgame.console.control import run_action
from games.models import Event
from tests.voting.box_helpers import ask
from tests.voting.event_states import shown
from tests.voting.match_helpers import ballots, new_event, only_turn, open_now, run_out, start, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import PresenceCounts, Turnout
from voting.models import Announcement
from voting.protocol import ActionAsk
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db


class StillBox(BallotBox):
    """A box with a fixed clock, so that two events differ only in their ballots."""

    def __init__(self) -> None:
        super().__init__()
        self.fixed_ms = super().now()

    def now(self) -> int:
        return self.fixed_ms


def bytes_sent_in_a_turn(event: Event, box: BallotBox, red: list[int], yellow: list[int]) -> Any:
    """Every byte that the server sends during the turn, and the state after its reveal."""

    def press(action: str) -> None:
        run_action(event.pk, ActionAsk(id=1, action=action), box)

    turn = only_turn(start_match(event.pk, box))
    open_now(turn, box)
    vote(turn, box, red, yellow)
    outside = [turnout(event.pk, turn.pk)]
    for action in ("turn.extend", "joining.lock", "turn.pause", "turn.resume", "turn.extend"):
        press(action)
    outside.append(turnout(event.pk, turn.pk))
    state_before = without_lot(msgspec.json.encode(shown(event.pk)))
    open_turn = [
        without_lot(bytes(row.body)) for row in Announcement.objects.filter(event=event).order_by("seq")
    ]
    run_out(load_turn(turn.pk), box)
    close_turn(turn.pk, box)
    return (outside, state_before, open_turn), msgspec.json.encode(shown(event.pk))


def without_lot(body: bytes) -> bytes:
    """The body without the lot, which is drawn before the voting starts."""
    return re.sub(rb'"lot":"[0-9a-f]{64}"', b'"lot":""', body)


def turnout(event_id: int, turn_id: int) -> Turnout:
    counted = ask(lambda box: box.heartbeat(event_id, "a", (turn_id, 1), PresenceCounts((3, 3))))
    return Turnout(0, counted.connected, counted.waiting, counted.red, counted.yellow)


def test_output_of_open_turn_is_independent_of_choices(box: BallotBox, valkey_url: str) -> None:
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


def test_turnout_and_snapshot_hide_a_changed_vote(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    seen = []
    for sequence, choice in enumerate((1, 5, 7), 1):
        box.cast(to_boxed_turn(turn), ballots("red", [choice] * 3, sequence))
        seen.append((turnout(turn.match.event_id, turn.pk), msgspec.json.encode(shown(turn.match.event_id))))
    assert seen[0] == seen[1] == seen[2]
