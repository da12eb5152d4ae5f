import asyncio
from typing import Any

import msgspec
import pytest

from tests.monitoring.probes import own_refusals
from tests.voting.box_helpers import empty
from tests.voting.gateway_helpers import (
    FakeConnection,
    FakeSocket,
    cast,
    join_room,
    latest,
    make_room,
    vote_by_hands,
    voter,
)
from tests.voting.match_helpers import CLASSIC, new_event, open_now, play_turn, start
from voting import protocol
from voting.announcements.channel_layer import LayerMessage
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.intake import MAX_PAUSE_S
from voting.gateway import side_change_queue
from voting.gateway.event_room import MAX_SOCKETS_PER_SEAT
from voting.gateway.live_event import EARLY_TOLERANCE_MS
from voting.gateway.phone import PhoneConsumer
from voting.gateway.supplements import send_turnout
from voting.models import Event
from voting.protocol import CloseCode
from voting.turns.restoring import restore_turn
from voting.turns.side_change_store import SideChangeRequest

pytestmark = pytest.mark.django_db


def test_voter_has_few_sockets_and_departs_with_the_last(box: BallotBox) -> None:
    sockets = [voter("a", 1) for _ in range(MAX_SOCKETS_PER_SEAT + 2)]
    room = make_room(start(box).match.event_id, *sockets, other := voter("b", 2))
    room.count_vote(room.voters["b"], room.turn_ref)
    gone, closed = room.voters["a"], list[Any]([[(CloseCode.OPEN_ELSEWHERE, None)]] * 2)
    assert [socket.close_calls for socket in sockets] == closed + [[]] * MAX_SOCKETS_PER_SEAT
    for phone in (sockets[0], *sockets):
        assert (room.connected(), room.heartbeat.departed) == ((1, 1), {})
        room.leave(phone, phone.seat)
    room.count_vote(gone, room.turn_ref)
    assert set(room.heartbeat.departed) == {gone.voter_code}
    room.leave(other, other.seat)
    assert (room.connected(), room.waiting(), room.voters, room.sockets.is_empty) == ((0, 0), 0, {}, True)
    for phone in (sockets[0], other):
        join_room(room, phone)
    assert (room.heartbeat.departed, room.waiting()) == ({}, 2)


def test_side_change_is_refused_if_queue_is_full(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_change_queue, "MAX_QUEUED", 0)
    turn, connection, before = start(box, max_side_changes=1), FakeConnection(), own_refusals("change")
    queue = make_room(turn.match.event_id).side_change_queue
    phone = PhoneConsumer(connection.scope)
    queue.take(phone, SideChangeRequest("ann", 1, turn.pk, 1, 2, "00" * 16))
    assert connection.texts == ['{"type":"side.refused","number":1,"code":"busy"}']
    assert own_refusals("change") == before + 1


def test_event_room_applies_changes_and_resets_votes_per_turn(box: BallotBox) -> None:
    turn = start(box)
    event_id = turn.match.event_id
    room = make_room(event_id, voter("a", 1))
    assert bytes(room.encoded_state) == msgspec.json.encode(room.state)
    cast(room, "a")
    room.heartbeat.unanimous = 2
    open_now(turn, box)
    room.apply(latest(event_id))
    assert (room.waiting(), room.heartbeat.unanimous) == (0, 0)
    assert room.turn is not None
    assert room.turn.closes_at == turn.closes_at
    play_turn(turn, box, [1], [2])
    room.apply(latest(event_id))
    assert room.waiting() == 1
    assert room.state == load_snapshot(Event.objects.get(pk=event_id))
    assert bytes(room.encoded_state) == msgspec.json.encode(room.state)
    with pytest.raises(msgspec.MsgspecError):
        room.apply(LayerMessage(room.event_id, room.seq + 1, b"{}"))
    assert bytes(room.encoded_state) == msgspec.json.encode(room.state)
    cast(room, "a")
    assert room.waiting() == 0
    empty()
    assert room.turn is not None
    restore_turn(room.turn.id, box)
    room.apply(latest(event_id))
    assert (room.waiting(), room.turn.epoch) == (1, 2)


def test_poll_refuses_early_ballot_until_shortly_before_opening(box: BallotBox) -> None:
    turn = start(box)
    poll = make_room(turn.match.event_id).poll
    assert poll is not None
    ballot = protocol.BallotCast(turn=turn.pk, epoch=1, choice=1, sequence=1)
    early = turn.opens_at - EARLY_TOLERANCE_MS - 1
    assert poll.refusal(1, ballot, early) == "early"
    assert poll.refusal(1, ballot, early, voted=True) is None, "it was counted, and may be repeated"
    assert poll.refusal(1, ballot, turn.opens_at - EARLY_TOLERANCE_MS) is None
    before_the_end_ms = int(2_000 * MAX_PAUSE_S)
    assert [poll.closes_soon(turn.closes_at - before_the_end_ms + late) for late in (0, 1)] == [False, True]


def test_send_turnout_skips_unchanged_turnout_and_throttles_phones() -> None:
    screen, phone = FakeSocket(), voter("a", 1)
    room = make_room(new_event().pk, screen, phone)
    counted = [protocol.TurnoutCounted(turn=1, connected=(1, 0), voted=(voted, 0)) for voted in (0, 0, 1, 1)]

    async def send() -> None:
        for turnout, phones in zip(counted, (True, True, False, True), strict=True):
            await send_turnout(room, turnout, phones=phones)

    asyncio.run(send())
    frames = [msgspec.json.encode(turnout).decode() for turnout in (counted[0], counted[2])]
    assert screen.frames == phone.frames == frames


def test_event_room_does_not_wait_for_hands_team_and_refuses_its_ballots(box: BallotBox) -> None:
    turn = start(box, close_early=True)
    room = make_room(turn.match.event_id, voter("a", 1), voter("b", 1), voter("left over", 2))
    ballot = protocol.BallotCast(turn.pk, 1, 3, 1)
    assert room.poll is not None
    assert room.poll.refusal(2, ballot, turn.opens_at) is None
    vote_by_hands(room, box)
    assert room.poll.refusal(2, ballot, turn.opens_at) == "not_to_move"
    assert room.poll.refusal(1, ballot, turn.opens_at) is None
    assert (room.team_for_new_voter(0), room.team_for_new_voter(2), room.accepts_phones) == (1, 1, True)
    assert room.waiting() == 2
    cast(room, "a", "b")
    assert room.waiting() == 0


def test_event_room_waits_only_for_phones_of_side_to_move(box: BallotBox) -> None:
    turn = start(box, game=CLASSIC, options={"first": "yellow"})
    room = make_room(turn.match.event_id, voter("a", 1), voter("b", 2), voter("c", 2))
    assert room.waiting() == 2
    assert room.poll is not None
    assert room.poll.refusal(1, protocol.BallotCast(turn.pk, 1, 3, 1), turn.opens_at) == "not_to_move"
    vote_by_hands(room, box)
    assert (room.waiting(), room.poll.legal) == (0, {})
    assert make_room(new_event().pk, voter("a", 1)).waiting() == 0
