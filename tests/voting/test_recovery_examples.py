"""Recovery in single steps that the state machine of `test_recovery` does not make."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from redis import RedisError

from deploy.laptop.network import free_port
from deploy.laptop.stack import Stack
from deploy.laptop.startup import start_ballot_box
from deploy.laptop.supervisor import Supervisor
from games.models import Event, TurnState
from tests.voting.box_helpers import R1, Y2, cast, running, turn
from tests.voting.box_loss_helpers import (
    copy_all,
    delete,
    empty,
    is_discarded,
    put_back,
    send_heartbeat,
    votes,
    with_gateways,
)
from tests.voting.gateway_helpers import (
    FakeSocket,
    in_a_thread,
    join_room,
    make_room,
    until,
    voter,
    with_gateway,
)
from tests.voting.match_helpers import ballots, kinds, new_event, open_now, play_out, run_out, start, tally_of
from tests.voting.recovery_model import Crash, InterruptedBox
from voting import protocol
from voting.announcements.outbox import announce, latest_seqs, relay
from voting.ballot_box.ballot_box import AsyncBallotBox, BallotBox
from voting.ballot_box.box_types import BoxedTurn, BoxLost, CastResult
from voting.gateway.gateway import Gateway
from voting.models import Announcement, TallyRecord
from voting.protocol import CloseCode
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn, to_boxed_turn

__all__ = ["turn"]
pytestmark = pytest.mark.django_db(transaction=True)


# ------------------------------------------------------------------ the ballot box
def test_box_lost_after_seal_extends_turn_once_and_counts_nothing(box: BallotBox) -> None:
    """The process that sealed the turn crashed before it could write the result."""

    def lose_and_crash() -> None:
        empty()
        raise Crash

    turn, crashing, voted = start(box), InterruptedBox(lose_and_crash), ballots("red", [3, 3])
    open_now(turn, box)
    cast(to_boxed_turn(turn), *voted)
    run_out(turn, box)
    with pytest.raises(Crash):
        close_turn(turn.pk, crashing)
    crashing.close()
    for _ in range(3):
        close_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.state, restored.epoch) == (TurnState.OPEN, 2)
    assert kinds(turn.match.event_id).count("turn.restored") == 1
    assert not TallyRecord.objects.exists()
    assert cast(to_boxed_turn(restored), *voted) == [CastResult.OK] * 2
    play_out(turn, box)
    assert tally_of(turn, "red").counts[2] == 2


@pytest.mark.parametrize("damage", ["older copy", "no box", "no ballots"])
def test_damaged_box_takes_no_ballot_and_is_discarded(damage: str, turn: BoxedTurn, box: BallotBox) -> None:
    async def scenario(gateway: AsyncBallotBox) -> None:
        older = copy_all()
        await votes(gateway, turn, R1)
        if damage == "older copy":
            put_back(older)
        else:
            delete(turn.keys[damage == "no ballots"])
        assert await votes(gateway, turn, R1, Y2) == [CastResult.UNKNOWN] * 2

    with_gateways(1, scenario)
    assert is_discarded(turn, box)


def test_copy_from_before_a_restore_is_discarded(turn: BoxedTurn, box: BallotBox) -> None:
    """It has more acknowledged arrivals than the restored box, but an older epoch."""
    restored = replace(turn, version=turn.version + 1, epoch=turn.epoch + 1)

    async def scenario(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1, Y2)
        older = copy_all()
        empty()
        assert box.place(restored, create=True)
        assert await votes(gateway, restored, R1) == [CastResult.OK]
        put_back(older)

    with_gateways(1, scenario)
    assert box.find_inconsistent([(restored.event_id, restored.turn_id, restored.version)])
    assert is_discarded(restored, box)


def test_recreated_box_has_no_acknowledgements(turn: BoxedTurn, box: BallotBox) -> None:
    """The box is created again in the same epoch without its ballots: the gateway notices."""

    async def scenario(gateway: AsyncBallotBox) -> None:
        await votes(gateway, turn, R1, Y2)
        delete(turn.keys[1])
        assert box.place(turn, create=True)
        await send_heartbeat(gateway, turn)

    with_gateways(1, scenario)
    assert is_discarded(turn, box)


def test_heartbeat_detects_replacement_by_empty_server(tmp_path: Path, settings: Any) -> None:
    port = free_port()
    one, other = (Stack(data=tmp_path / name, secret_key="", port=0, valkey_port=port) for name in "ab")
    settings.BALLOT_BOX_URL = one.redis
    box = BallotBox()

    async def scenario(gateway: AsyncBallotBox) -> None:
        with Supervisor(tmp_path / "logs") as supervisor:
            start_ballot_box(one, supervisor)
            turn = running(box)
            assert box.place(turn, create=True)
            assert await votes(gateway, turn, R1) == [CastResult.OK]
        with Supervisor(tmp_path / "logs") as supervisor:
            start_ballot_box(other, supervisor)
            with pytest.raises(RedisError):  # the old connection is gone; the caller retries
                await send_heartbeat(gateway, turn)
            await send_heartbeat(gateway, turn)
            assert await votes(gateway, turn, R1) == [CastResult.UNKNOWN]
            fresh = BallotBox()
            assert not fresh.place(turn, create=False)
            assert fresh.seal(turn) == BoxLost()
            fresh.close()

    with_gateways(1, scenario)
    box.close()


def test_counted_ballot_may_be_repeated_before_window_reopens(box: BallotBox) -> None:
    poll = make_room(start(box).match.event_id).poll
    assert poll is not None
    ballot = protocol.BallotCast(turn=poll.turn_id, epoch=1, choice=1, sequence=1)
    early = poll.opens_at - 900
    assert poll.refusal(1, ballot, early) == "early"
    assert poll.refusal(1, ballot, early, voted=True) is None


# ------------------------------------------------------------------ the gateway
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

    def lose_announcements() -> None:
        with transaction.atomic():
            rename(event, "Last")
            Announcement.objects.all().delete()

    async def scenario(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        for socket in sockets:
            join_room(room, socket)
        await in_a_thread(roll_back)
        await until(lambda: all(socket.close_calls for socket in sockets))
        assert (room.seq, room.state.name) == (1, "One")
        join_room(room, back := FakeSocket())
        await in_a_thread(announce_again)
        await until(lambda: back.seqs)
        assert (back.seqs, room.seq, room.state.name) == ([2], 2, "Another")
        await in_a_thread(lose_announcements)
        await until(lambda: room.state.name == "Last")
        assert back.seqs == [2, 3]

    with_gateway(scenario)
    assert {code for socket in sockets for code, _ in socket.close_calls} == {CloseCode.RESTARTING}
    assert all(within_ms for socket in sockets for _, within_ms in socket.close_calls)


def test_announcement_received_during_poll_is_kept(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sequence numbers that it loads may be older than an announcement received meanwhile."""
    monkeypatch.setattr("voting.gateway.subscriber.POLL_S", 3600)  # the test polls itself
    event, socket = new_event(), FakeSocket()
    rename(event, "One")

    async def scenario(gateway: Gateway) -> None:
        loop, room = asyncio.get_running_loop(), await gateway.room(event.code)
        assert room is not None
        join_room(room, socket)

        def poll_slowly(events: Any) -> dict[int, int]:
            found = latest_seqs(events)
            rename(event, "Two")
            asyncio.run_coroutine_threadsafe(gateway.subscriber.catch_up(room), loop).result(30)
            return found

        monkeypatch.setattr("voting.gateway.subscriber.latest_seqs", poll_slowly)
        await gateway.subscriber.catch_up_all()
        assert (room.state.name, socket.close_calls, socket.seqs) == ("Two", [], [2])

    with_gateway(scenario)


def test_frozen_box_of_one_room_delays_no_other_heartbeat(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, stuck, asked = [new_event() for _ in range(4)], asyncio.Event(), []

    async def scenario(gateway: Gateway) -> None:
        for event in events:
            await gateway.room(event.code)
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

    with_gateway(scenario)
