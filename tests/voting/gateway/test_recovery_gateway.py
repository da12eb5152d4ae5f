"""Snapshot plus announcements equals a fresh snapshot, even if announcements are lost, repeated or late.

This also holds after the database is replaced by an older copy.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given
from hypothesis import settings as how
from hypothesis import strategies as st
from redis import Redis

from crowdgame.console.actions.matches import abort_playing_match, void_last_turn
from crowdgame.console.actions.turn_time import extend_turn, pause_turn, resume_turn
from games.matches import live_turn
from games.models import Event
from tests.voting.gateway_helpers import (
    FakeSocket,
    in_a_thread,
    join_room,
    make_room,
    until,
    voter,
    with_gateway,
)
from tests.voting.match_helpers import new_event, open_now, play_turn, start
from voting import protocol
from voting.announcements.channel_layer import LayerMessage
from voting.announcements.outbox import announce, announcements_after, latest_seqs, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway import gateway as gateways
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import Gateway
from voting.models import Announcement
from voting.protocol import CloseCode
from voting.turns.turns import load_turn, restore_turn, start_match

pytestmark = pytest.mark.django_db(transaction=True)

STEPS = st.lists(
    st.tuples(st.sampled_from(["receive", "receive", "receive", "write", "load_seqs"]), st.integers(0, 40)),
    max_size=40,
)
rarely = how(suppress_health_check=list(HealthCheck))


@dataclass
class EventHistory:
    """All announcements of an event, in order."""

    event: Event
    copies: list[LayerMessage]

    def rewind(self, written: int) -> None:
        """Keep only the first `written` announcements in the database; the event's state stays the latest."""
        Announcement.objects.filter(event=self.event, seq__gt=written).delete()
        Event.objects.filter(pk=self.event.pk).update(seq=written)

    def write(self) -> None:
        seq = Event.objects.get(pk=self.event.pk).seq
        if seq < len(self.copies):
            copy = self.copies[seq]
            Announcement.objects.create(event=self.event, seq=copy.seq, body=copy.body)
            Event.objects.filter(pk=self.event.pk).update(seq=copy.seq)


@pytest.fixture
def history(box: BallotBox, valkey_url: str) -> EventHistory:
    turn = start(box)
    event = turn.match.event
    open_now(turn, box)
    play_turn(turn, box, [1, 1], [2])
    turn = load_turn(live_turn(turn.match).pk)  # type: ignore[union-attr]
    open_now(turn, box)
    pause_turn(load_turn(turn.pk), box)
    resume_turn(load_turn(turn.pk), box)
    with Redis.from_url(valkey_url) as redis:
        redis.flushall()
    restore_turn(turn.pk, box)
    extend_turn(load_turn(turn.pk), 30, box)
    play_turn(load_turn(turn.pk), box, [3], [4])
    void_last_turn(event.pk, None, box)
    abort_playing_match(event.pk, box)
    start_match(event.pk, box)
    turn = load_turn(live_turn(event.matches.latest("number")).pk)  # type: ignore[union-attr]
    open_now(turn, box)
    play_turn(turn, box, [5], [6])
    copies = announcements_after(event.pk, 0)
    assert [copy.seq for copy in copies] == list(range(1, len(copies) + 1))
    return EventHistory(event, copies)


async def load_fresh_room(gateway: Gateway, event: Event) -> EventRoom:
    found = await in_a_thread(lambda: gateways._load_event(event.code))
    assert found is not None
    event_id, seq, state, _ = found
    return EventRoom(event_id, seq, state, gateway.intake)


def shown(room: EventRoom) -> tuple[Any, ...]:
    poll = room.poll and (
        room.poll.turn_id,
        room.poll.epoch,
        room.poll.sides,
        room.poll.legal,
        room.poll.opens_at,
    )
    return room.state, room.seq, room.turn_ref, poll, room.poll and room.poll.lane.slot


def test_room_equals_fresh_room_after_any_message_order(history: EventHistory) -> None:
    @rarely
    @given(begins=st.integers(1, len(history.copies)), steps=STEPS)
    def holds(begins: int, steps: list[tuple[str, int]]) -> None:
        with_gateway(lambda gateway: scenario(gateway, begins, steps))

    async def scenario(gateway: Gateway, begins: int, steps: list[tuple[str, int]]) -> None:
        socket = FakeSocket()
        await in_a_thread(lambda: history.rewind(begins))
        room = await gateway.room(history.event.code)
        assert room is not None
        room.apply(history.copies[begins - 1])
        join_room(room, socket)
        written = begins
        for step, number in steps:
            if step == "receive":
                await gateway.subscriber.receive(room, history.copies[number % written])
            elif step == "load_seqs":
                await gateway.subscriber.catch_up_all()
            else:
                await in_a_thread(history.write)
                written = min(written + 1, len(history.copies))
        while written < len(history.copies):
            await in_a_thread(history.write)
            written += 1
        await gateway.subscriber.catch_up_all()
        fresh = await load_fresh_room(gateway, history.event)
        assert shown(room) == shown(fresh)
        assert socket.seqs == list(range(begins + 1, len(history.copies) + 1))
        states = [protocol.decode_change(frame).state for frame in socket.frames if '"seq"' in frame]
        assert states[-1:] in ([], [fresh.state])
        assert socket.close_calls == []

    holds()


def test_gateway_broadcasts_changes_found_only_in_database(history: EventHistory) -> None:
    """If the last announcements are lost, no later one shows the gap."""
    socket = FakeSocket()

    async def scenario(gateway: Gateway) -> None:
        await in_a_thread(lambda: history.rewind(3))
        room = await gateway.room(history.event.code)
        assert room is not None
        join_room(room, socket)
        for _ in range(2):
            await in_a_thread(history.write)
        await until(lambda: room.seq == 5)

    with_gateway(scenario)
    assert socket.seqs == [4, 5]


def test_room_loads_current_state_if_announcements_are_missing(valkey_url: str) -> None:
    """The announcements were deleted, or were never in this database."""
    event, socket = new_event(), FakeSocket()

    def drop_announcements() -> None:
        with transaction.atomic():
            for name in ("One", "Two"):
                rename(event, name)
            Announcement.objects.all().delete()

    async def scenario(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        join_room(room, socket)
        await in_a_thread(drop_announcements)
        await until(lambda: socket.seqs)
        assert (room.seq, room.state.name, socket.seqs) == (2, "Two", [2])

    with_gateway(scenario)


# ------------------------------------------------------------------ rolled-back database
def rename(event: Event, name: str) -> None:
    Event.objects.filter(pk=event.pk).update(name=name)
    announce(event.pk, protocol.EventEdited, 1)


def test_rolled_back_database_resets_room_and_closes_sockets(valkey_url: str) -> None:
    event, sockets = new_event(), [FakeSocket(), voter("a", 1), voter("b", 2)]
    for name in ("One", "Two", "Three", "Four"):
        rename(event, name)

    def roll_back() -> None:
        Announcement.objects.filter(event=event, seq__gt=1).delete()
        Event.objects.filter(pk=event.pk).update(seq=1, name="One")

    def announce_again() -> None:
        rename(event, "Another")
        relay(event.pk)

    async def scenario(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        assert (room.seq, room.state.name) == (4, "Four")
        for socket in sockets:
            join_room(room, socket)
        await in_a_thread(roll_back)
        await until(lambda: all(socket.close_calls for socket in sockets))
        assert (room.seq, room.state.name) == (1, "One")
        back = FakeSocket()
        join_room(room, back)
        await in_a_thread(announce_again)
        await until(lambda: back.seqs)
        assert (back.seqs, room.seq, room.state.name) == ([2], 2, "Another")

    with_gateway(scenario)
    assert {code for socket in sockets for code, _ in socket.close_calls} == {CloseCode.RESTARTING}
    assert all(within_ms for socket in sockets for _, within_ms in socket.close_calls)


def test_announcement_received_during_poll_is_kept(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sequence numbers that it loads may be older than an announcement received meanwhile."""
    monkeypatch.setattr("voting.gateway.subscriber.POLL_S", 3600)  # the test polls itself
    event, socket, load_seqs = new_event(), FakeSocket(), latest_seqs
    rename(event, "One")

    async def scenario(gateway: Gateway) -> None:
        loop, room = asyncio.get_running_loop(), await gateway.room(event.code)
        assert room is not None
        join_room(room, socket)

        def poll_slowly(events: Any) -> dict[int, int]:
            found = load_seqs(events)
            rename(event, "Two")
            asyncio.run_coroutine_threadsafe(gateway.subscriber.catch_up(room), loop).result(30)
            return found

        monkeypatch.setattr("voting.gateway.subscriber.latest_seqs", poll_slowly)
        await gateway.subscriber.catch_up_all()
        monkeypatch.setattr("voting.gateway.subscriber.latest_seqs", load_seqs)
        assert (room.state.name, socket.close_calls, socket.seqs) == ("Two", [], [2])

    with_gateway(scenario)


def test_frozen_box_of_one_room_delays_no_other_heartbeat(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, stuck, asked = [new_event() for _ in range(4)], asyncio.Event(), []

    async def scenario(gateway: Gateway) -> None:
        rooms = [await gateway.room(event.code) for event in events]
        heartbeat = gateway.box.heartbeat

        async def frozen_for_all_but_the_last(event_id: int, *args: Any) -> Any:
            asked.append(event_id)
            if event_id != events[-1].pk:
                await stuck.wait()
            return await heartbeat(event_id, *args)

        monkeypatch.setattr(gateway.box, "heartbeat", frozen_for_all_but_the_last)
        await until(lambda: asked.count(events[-1].pk) >= 3)
        assert [asked.count(event.pk) for event in events[:-1]] == [1, 1, 1]
        stuck.set()
        await until(lambda: min(asked.count(event.pk) for event in events) >= 2)
        assert all(rooms)

    with_gateway(scenario)


# ------------------------------------------------------------------ repeated ballots
def test_counted_ballot_may_be_repeated_before_window_reopens(box: BallotBox) -> None:
    poll = make_room(start(box).match.event_id).poll
    assert poll is not None
    ballot = protocol.BallotCast(turn=poll.turn_id, epoch=1, choice=1, sequence=1)
    early = poll.opens_at - 900
    assert poll.refusal(1, ballot, early) == "early"
    assert poll.refusal(1, ballot, early, voted=True) is None
