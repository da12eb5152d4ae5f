import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace as change
from pytest_django.fixtures import Settings
from redis import RedisError
from redis.crc import key_slot

from crowdgame.rehearsal.dry_run_lease import DryRunLease, LeaseAnswer
from games.engine.game import SIDES
from tests.crowd_helpers import TIMEOUT_S, during_window, vote_during
from tests.deploy.processes import wait_until
from tests.machines.cluster import PRIMARIES, Cluster, running_cluster
from tests.server import running_server
from tests.voting.box_helpers import seal, sealed
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import (
    ANY_TEAM,
    BoxedTurn,
    BoxLost,
    CastResult,
    PresenceCounts,
    Sealed,
    TeamWish,
    TooEarly,
    Turnout,
    event_key,
)
from voting.ballot_box.shards import ONE_SHARD, Shard
from voting.counting.ballots import Ballot
from voting.counting.commitments import sort_ballots
from voting.protocol import RehearsalUpdated

EVENTS = range(1, 41)
KEYS = 6  # of an event: box, ballots, joined, gateways, most, rehearsal
REHEARSED = RehearsalUpdated(
    phones=5, connected=5, sent=0, acknowledged=0, lost=0, ack_p99_ms=None, reveal_p99_ms=None, running=True
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster"), replicas=1) as cluster:
        yield cluster


@pytest.fixture
def box(cluster: Cluster, settings: Settings) -> Iterator[BallotBox]:
    settings.BALLOT_BOX_URL = cluster.url
    box = BallotBox()
    yield box
    box.close()


def opened(box: BallotBox, event_id: int, shard: Shard = ONE_SHARD) -> BoxedTurn:
    now = box.now()
    turn = BoxedTurn(event_id, 10 * event_id, 1, 1, now - 1_000, now + 600_000, shard=shard)
    assert box.place(turn, create=True)
    return turn


def closed(turn: BoxedTurn, now: int) -> BoxedTurn:
    return replace(turn, version=turn.version + 1, closes_at=now)


async def test_event_stays_in_one_slot_and_events_are_spread(cluster: Cluster, box: BallotBox) -> None:
    """A gateway makes all its calls for each event."""
    gateway, turns = AsyncBallotBox(), [opened(box, event_id) for event_id in EVENTS]
    for turn in turns:
        ballots = [Ballot(f"v{n}", "red", n, 1) for n in range(1, 8)]
        reply = await gateway.cast(turn.event_id, turn.turn_id, 1, ballots)
        assert reply.answers == [CastResult.OK] * 7
        assert await gateway.assign_teams(turn.event_id, [ANY_TEAM, ANY_TEAM, TeamWish(2)]) == [1, 2, 2]
        turnout = await gateway.heartbeat(turn.event_id, "g", (turn.turn_id, 1), PresenceCounts((3, 4)))
        assert (turnout.connected, turnout.red) == ((3, 4), 7)
        assert await DryRunLease(gateway).renew(turn.event_id, "g", REHEARSED) is LeaseAnswer.CONTINUE
        assert await DryRunLease(gateway).watch(turn.event_id) == REHEARSED
        held = await gateway.load_ballots(turn.event_id, turn.turn_id, ["v3", "w"])
        assert [(voter, ballot.choice) for voter, ballot in held.items()] == [("v3", 3)]
    assert abs(await gateway.now() - turnout.now) < 1_000
    await gateway.close()
    for turn in turns:
        found = sealed(closed(turn, box.now()), box)
        assert [ballot.choice for ballot in found] == [1, 2, 3, 4, 5, 6, 7]
        box.expire(turn.ref)
    by_node = cluster.keys()
    assert min(map(len, by_node.values())) >= KEYS * len(EVENTS) // 6  # events are spread over the nodes
    keys = [key for held in by_node.values() for key in held]
    slots = {event: {key_slot(k.encode()) for k in keys if f"{{{event}}}" in k} for event in EVENTS}
    assert {len(own) for own in slots.values()} == {1}
    assert sum(map(len, by_node.values())) == KEYS * len(EVENTS)
    assert all("{" in key for key in keys)


def test_cluster_seals_and_places_sets_of_turns_on_all_nodes(box: BallotBox) -> None:
    turns = [opened(box, event_id) for event_id in range(201, 213)]
    ids = [turn.turn_id for turn in turns]
    with box.closing_lease.hold_all(ids) as held, box.closing_lease.hold_all(ids[:6]) as held_again:
        assert (held, held_again) == (ids, [])
        box.closing_lease.renew(*held)
    assert not any(map(box.closing_lease.is_held, ids))
    assert box.seal_all(turns) == {turn.turn_id: TooEarly(turn.closes_at) for turn in turns}
    over = [closed(turn, box.now()) for turn in turns]
    assert box.seal_all(over) == {turn.turn_id: seal(box, turn) for turn in over}
    following = [BoxedTurn(one.event_id, one.turn_id + 1, 1, 1, 0, 1) for one in turns]
    assert box.place_all(following) == {turn.turn_id for turn in following}
    box.expire_all(turn.ref for turn in turns)


def test_turn_in_three_shards_uses_all_nodes_and_seals_like_one_box(cluster: Cluster, box: BallotBox) -> None:
    ids = [f"{number:016x}" for number in Random(5).sample(range(1 << 62), 90)]
    crowd = [Ballot(ids[n], SIDES[n % 2], n % 7 + 1, 1, blind=f"{n:032x}") for n in range(90)]
    lists = []
    for event_id in range(301, 307):
        one = opened(box, event_id)
        many = replace(one, turn_id=one.turn_id + 1, shard=Shard(0, 3))
        assert box.place(many, create=True)
        owners = [cluster.nodes.index(cluster.owner(part.keys[0])) for part in many.parts]
        assert sorted(owners) == [0, 1, 2]
        for turn in (one, many):
            assert box.cast_new(turn, crowd).answers == [CastResult.OK] * len(crowd)
            prefetched = box.prefetch(turn)
            assert box.cast_new(turn, crowd[:2]).answers == [CastResult.DUPLICATE] * 2
            box.cast(turn, [change(crowd[0], sequence=2, choice=6)])
            assert isinstance(seal(box, turn), TooEarly)
            over = closed(turn, box.now())
            answers = [seal(box, over), seal(box, over, prefetched), seal(box, over)]
            assert answers[0] == answers[1] == answers[2]
            assert isinstance(answers[0], Sealed)
            ballots = answers[0].ballots
            roots = [sort_ballots(0, side, [b for b in ballots if b.side == side]) for side in SIDES]
            lists.append(({change(b, arrival=0) for b in ballots}, [one.commitment for one in roots]))
            box.expire(turn.ref)
    assert all(found == lists[0] for found in lists)


@pytest.mark.parametrize("number", range(PRIMARIES))
def test_seal_waits_for_node_and_notices_lost_shard(number: int, tmp_path: Path, settings: Settings) -> None:
    with running_cluster(tmp_path) as cluster:
        settings.BALLOT_BOX_URL = cluster.url
        box, crowd = BallotBox(), [Ballot(f"{n:016x}", SIDES[n % 2], 3, 1) for n in range(60)]
        turn = opened(box, 400, Shard(0, 3))
        assert box.cast_new(turn, crowd).answers == [CastResult.OK] * len(crowd)
        away, first = cluster.nodes[number], cluster.nodes.index(cluster.owner(turn.keys[0]))
        away.kill()
        over = closed(turn, box.now())
        with pytest.raises(RedisError):
            seal(box, over)
        if number != first:
            turnout = asyncio.run(beat(turn))
            assert (0 < turnout.voted < len(crowd), turnout.waiting) == (True, None)
        with pytest.raises(RedisError):
            box.find_ballots(400, 4000, [ballot.voter for ballot in crowd], 3)
        away.start()
        wait_until(cluster.is_whole, TIMEOUT_S)
        turnout = asyncio.run(beat(turn))
        assert (turnout.voted, turnout.waiting) == (len(crowd), 0)
        assert sorted(ballot.voter for ballot in sealed(over, box)) == [ballot.voter for ballot in crowd]
        away.client.flushall()
        assert seal(box, over) == BoxLost()
        restored = replace(turn, version=3, epoch=2)
        assert box.place(restored, create=True)
        counts = Counter(box.cast_new(restored, crowd).answers)
        assert counts.keys() == {CastResult.OK, CastResult.DUPLICATE}
        assert len(sealed(closed(restored, box.now()), box)) == len(crowd)
        box.close()


def test_failover_during_a_prefetch_loses_no_ballots(
    cluster: Cluster, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cursor of one node means nothing on the next one."""
    monkeypatch.setattr("voting.ballot_box.sealed_lists.BATCH_BALLOTS", 200)
    hscan, reads = box._redis.hscan, list[int]()
    first, replica = cluster.nodes[0], cluster.nodes[PRIMARIES]
    turn = opened(box, next(n for n in range(500, 600) if cluster.owner(event_key(n, "box")) is first))
    crowd = [Ballot(f"{n:016x}", SIDES[n % 2], n % 7 + 1, 1) for n in range(4_000)]
    box.cast(turn, crowd)

    def fail_over_between(key: str, cursor: int, count: int) -> Any:
        reads.append(cursor)
        if len(reads) == 4:
            cluster.fail_over(replica)
        return hscan(key, cursor, count=count)

    monkeypatch.setattr(box._redis, "hscan", fail_over_between)
    prefetched = box.prefetch(turn)
    assert len(prefetched.ballots) < len(crowd)
    assert len(sealed(closed(turn, box.now()), box, prefetched)) == len(crowd)
    box.expire(turn.ref)
    cluster.fail_over(first)


async def beat(turn: BoxedTurn) -> Turnout:
    """The turnout that a gateway without phones gets."""
    gateway = AsyncBallotBox()
    try:
        return await gateway.heartbeat(turn.event_id, "g", (turn.turn_id, 1), PresenceCounts(), 3)
    finally:
        await gateway.close()


@pytest.mark.parametrize("number", range(PRIMARIES))
async def test_node_failure_affects_only_its_events(number: int, tmp_path: Path, settings: Settings) -> None:
    """Vote with clients from before the failure and with clients created during it; lose nothing."""
    with running_cluster(tmp_path) as cluster:
        settings.BALLOT_BOX_URL, away = cluster.url, cluster.nodes[number]
        boxes, gateways = [BallotBox()], [AsyncBallotBox()]
        turns = [opened(boxes[0], event_id) for event_id in range(101, 113)]
        at_home = {turn.event_id: cluster.owner(turn.keys[0]) is not away for turn in turns}
        assert set(at_home.values()) == {True, False}
        for turn in turns:
            assert await cast_one(gateways[0], turn, 1) == CastResult.OK
        away.kill()
        boxes.append(BallotBox())
        gateways.append(AsyncBallotBox())
        for turn in turns * 2:
            for gateway in gateways:
                answer = await cast_one(gateway, turn, 2)
                assert (answer in {CastResult.OK, CastResult.DUPLICATE}) == at_home[turn.event_id]
            for box in boxes:
                assert places(box, turn) == at_home[turn.event_id]
        assert abs(await gateways[0].now() - boxes[0].now()) < 1_000
        away.start()
        wait_until(cluster.is_whole, TIMEOUT_S)
        for turn in turns:
            answers = [await cast_one(gateway, turn, 3) for gateway in gateways]
            assert answers == [CastResult.OK, CastResult.DUPLICATE]
            voters = {ballot.voter for ballot in sealed(closed(turn, boxes[0].now()), boxes[0])}
            assert voters == {f"v{n}" for n in (1, 2 if at_home[turn.event_id] else 1, 3)}
        for box in boxes:
            box.close()
        for gateway in gateways:
            await gateway.close()


async def cast_one(gateway: AsyncBallotBox, turn: BoxedTurn, number: int) -> int | None:
    """Cast a voter's only ballot; return the answer, or None if the box is unreachable."""
    with suppress(RedisError):
        reply = await gateway.cast(turn.event_id, turn.turn_id, 1, [Ballot(f"v{number}", "red", 1, 1)])
        return reply.answers[0]
    return None


def places(box: BallotBox, turn: BoxedTurn) -> bool:
    with suppress(RedisError):
        return bool(box.place(turn, create=False))
    return False


def test_vote_survives_a_moved_slot_and_a_killed_node_without_a_lost_connection(tmp_path: Path) -> None:
    """The event's slot moves to another node, which is killed in a later turn."""
    data, nodes = tmp_path / "server", tmp_path / "nodes"
    with running_cluster(nodes, replicas=1) as cluster, running_server(data, box_url=cluster.url) as server:

        def fail(event: int) -> list[int]:
            with during_window(server, event) as moved_in:
                cluster.migrate(key_slot(event_key(event, "joined").encode()), cluster.nodes[0])
            with during_window(server, event) as killed_in:
                cluster.nodes[0].kill()
            return [moved_in, killed_in]

        assert vote_during(fail, server).reconnects == 0
