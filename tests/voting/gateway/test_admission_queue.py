import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from redis import RedisError

from tests.voting.box_helpers import EVENT, TURN, cast, running
from tests.voting.gateway_helpers import FakeSocket, join_room, playing
from voting.admission.seats import Seat, new_seat
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import TeamWish
from voting.ballot_box.intake import Intake
from voting.ballot_box.known_voters import KnownVoter, VoterRecorder, find_voters
from voting.ballot_box.shards import Shard
from voting.counting.ballots import Ballot
from voting.counting.voter_codes import derive_voter_code
from voting.gateway.admission_queue import (
    FULL_RETRY_MS,
    INITIAL_RATE,
    JOIN_BATCH_SIZE,
    MIN_QUEUE_LENGTH,
    NEW_VOTERS_WAIT_S,
    AdmissionRate,
    AdmittedVoter,
    RetryLater,
)
from voting.gateway.event_room import EventRoom
from voting.gateway.live_event import LiveEvent
from voting.gateway.ticket_claims import CLAIM_BATCH_SIZE, AdmissionDenied, TicketClaims
from voting.protocol import MAX_RETRY_MS, PhoneJoin


class Harness:
    """An admission queue and its room, on an event loop of their own. `joined` are in order of admission."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self.runner, self.box = runner, AsyncBallotBox()
        nothing: Any = None
        intake, recorder = Intake(self.box, nothing), VoterRecorder("a", self.box)
        self.room = EventRoom(EVENT, 1, playing(TURN), intake, self.box, recorder, nothing)
        self.queue = self.room.admission_queue
        self.joined: list[AdmittedVoter] = []

    async def join(self, seat: Seat | None = None, wish: TeamWish | None = None) -> Any:
        try:
            admitted = await self.queue.admit(seat, wish)
        except RetryLater as crowded:
            return crowded
        self.joined.append(admitted)
        return admitted

    def gather(self, *joins: Awaitable[Any], **options: Any) -> list[Any]:
        async def all_of_them() -> list[Any]:
            async with asyncio.timeout(30):
                return list(await asyncio.gather(*joins, **options))

        return self.runner.run(all_of_them())

    def join_now(self, seat: Seat | None = None) -> Any:
        return self.gather(self.join(seat))[0]

    def begin_joining(self, number: int) -> list[asyncio.Task[Any]]:
        tasks = [self.runner.get_loop().create_task(self.join()) for _ in range(number)]
        self.runner.run(asyncio.sleep(0))
        return tasks


@pytest.fixture
def harness(valkey_url: str) -> Iterator[Harness]:
    with asyncio.Runner() as runner:
        harness = Harness(runner)
        yield harness
        runner.run(harness.box.close())


def player() -> Seat:
    return new_seat(EVENT, 1)


def is_refused(outcome: object) -> bool:
    return isinstance(outcome, RetryLater)


def test_new_voters_get_seat_in_smaller_or_chosen_team(harness: Harness, box: BallotBox) -> None:
    offered = player()
    admitted = harness.gather(*[harness.join() for _ in range(6)], harness.join(offered, TeamWish(2)))
    seats = [voter.seat for voter in admitted]
    assert sorted(seat.team for seat in seats[:6]) == [1, 1, 1, 2, 2, 2]
    assert seats[6] == replace(offered, team=2)
    assert len({seat.voter for seat in seats}) == 7
    assert {seat.event_id for seat in seats} == {EVENT}
    code = derive_voter_code(seats[0].voter)
    known = KnownVoter(seats[0].team, connected=False, voter=seats[0].voter)
    assert find_voters(box, EVENT, [code])[code] == known
    assert not find_voters(box, EVENT + 1, [code])


def test_admitted_player_receives_counted_ballot(harness: Harness, box: BallotBox) -> None:
    turn = running(box)
    assert box.place(turn, create=True)
    first, second = player(), player()
    cast(turn, Ballot(first.voter, "red", 3, 2))
    voted, not_yet, _ = harness.gather(harness.join(first), harness.join(second), harness.join())
    assert voted == AdmittedVoter(first, (TURN, 1), Ballot(first.voter, "red", 3, 2, 1))
    assert not_yet == AdmittedVoter(second, (TURN, 1), None)


def test_players_overtake_waiting_new_voters(harness: Harness) -> None:
    new_voters = harness.begin_joining(JOIN_BATCH_SIZE * 4)
    seats = [player() for _ in range(JOIN_BATCH_SIZE)]
    harness.gather(*new_voters, *[harness.join(seat) for seat in seats])
    ranks = [rank for rank, admitted in enumerate(harness.joined) if admitted.seat in seats]
    assert max(ranks) < JOIN_BATCH_SIZE * 3
    assert len(harness.joined) == JOIN_BATCH_SIZE * 5


def test_returning_players_leave_a_fifth_of_each_batch_to_new_voters(harness: Harness) -> None:
    seats, new = [player() for _ in range(JOIN_BATCH_SIZE * 4)], JOIN_BATCH_SIZE // 5
    harness.gather(*[harness.join(seat) for seat in seats], *[harness.join() for _ in range(new)])
    ranks = [rank for rank, admitted in enumerate(harness.joined) if admitted.seat not in seats]
    assert (len(ranks), max(ranks) < JOIN_BATCH_SIZE) == (new, True)


def test_queue_spreads_retries_of_large_crowd(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    assign_teams = harness.box.assign_teams

    async def slowly(event_id: int, wishes: Sequence[TeamWish]) -> list[int]:
        await asyncio.sleep(0.05)  # like the other work that a gateway does for each joining client
        return await assign_teams(event_id, wishes)

    monkeypatch.setattr(harness.box, "assign_teams", slowly)
    assert not any(map(is_refused, harness.gather(*[harness.join() for _ in range(1_000)])))
    new, returning = (harness.join() for _ in range(10_000)), (harness.join(player()) for _ in range(1_000))
    outcomes = harness.gather(*new, *returning)
    delays_ms = [outcome.within_ms for outcome in outcomes if is_refused(outcome)]
    assert 10_000 - len(delays_ms) >= MIN_QUEUE_LENGTH
    assert not any(map(is_refused, outcomes[10_000:]))
    assert harness.queue.within_ms(len(delays_ms)) < max(delays_ms) - min(delays_ms) <= MAX_RETRY_MS
    assert harness.queue.within_ms(1_000_000) == MAX_RETRY_MS


def test_full_event_admits_again_after_a_phone_leaves(settings: Any, harness: Harness) -> None:
    settings.EVENT_PHONES = 3
    outcomes = harness.gather(*[harness.join() for _ in range(5)])
    refused = [outcome.within_ms for outcome in outcomes if is_refused(outcome)]
    assert (len(harness.joined), refused) == (3, [FULL_RETRY_MS] * 2), "the limit counts voters who wait"
    sockets = [FakeSocket(admitted.seat) for admitted in harness.joined]
    for socket in sockets:
        join_room(harness.room, socket)
    for seat in (None, player()):
        assert harness.join_now(seat).within_ms == FULL_RETRY_MS
    harness.room.leave(sockets[0], sockets[0].seat)
    assert not is_refused(harness.join_now())


def test_unseated_sockets_are_limited_and_do_not_block_players(settings: Any, harness: Harness) -> None:
    settings.EVENT_PHONES = 3
    unseated = [FakeSocket() for _ in range(3)]
    for socket in unseated:
        harness.queue.check_unseated(socket)
        harness.room.sockets.add_unseated(socket)
    harness.queue.check_unseated(unseated[0])
    with pytest.raises(RetryLater) as refusal:
        harness.queue.check_unseated(FakeSocket())
    assert refusal.value.within_ms == FULL_RETRY_MS
    harness.room.add_voter(unseated[0], harness.join_now(player()).seat)
    harness.queue.check_unseated(FakeSocket())
    assert not is_refused(harness.join_now())
    harness.room.leave(unseated[1], None)
    assert harness.room.sockets.unseated == {unseated[2]}


def test_cancelled_admission_takes_no_seat(harness: Harness) -> None:
    joining = harness.begin_joining(2 * JOIN_BATCH_SIZE)
    for task in joining[JOIN_BATCH_SIZE:]:
        task.cancel()
    harness.gather(*joining, return_exceptions=True)
    assert not is_refused(harness.join_now())
    assert len(harness.joined) == JOIN_BATCH_SIZE + 1
    teams = [admitted.seat.team for admitted in harness.joined]
    assert abs(teams.count(1) - teams.count(2)) <= 1


def test_queue_reports_lost_box_and_recovers(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(event_id: int, wishes: Any) -> list[int]:
        raise RedisError("away")

    with monkeypatch.context() as patch:
        patch.setattr(harness.box, "assign_teams", away)
        outcomes = harness.gather(*[harness.join() for _ in range(3)], return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [RedisError] * 3
    assert not is_refused(harness.join_now())


def test_only_voters_of_a_lost_shard_wait(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    lost, load = Shard(1, 2), harness.box.load_ballots

    async def load_others(event: int, turn: int, voters: Sequence[str], shards: int) -> dict[str, Ballot]:
        if any(Shard.of(voter, lost.total) == lost for voter in voters):
            raise RedisError("away")
        return await load(event, turn, voters)

    monkeypatch.setattr(harness.box, "load_ballots", load_others)
    monkeypatch.setattr(LiveEvent, "shards", lost.total)
    seats = [replace(player(), voter=f"v{number}") for number in range(20)]
    outcomes = harness.gather(*map(harness.join, seats), harness.join(), return_exceptions=True)
    waiting = [seat for seat, how in zip(seats, outcomes, strict=False) if isinstance(how, RedisError)]
    assert waiting == [seat for seat in seats if Shard.of(seat.voter, lost.total) == lost]
    assert len(harness.joined) == len(outcomes) - len(waiting)


def test_clients_retry_on_average_when_their_turn_comes() -> None:
    """A client retries at a random time within its limit, on average after half of it."""
    waiting_s = 4
    rate = AdmissionRate()
    limits_ms = [rate.schedule_retry(round(waiting_s * INITIAL_RATE)) for _ in range(round(INITIAL_RATE))]
    assert limits_ms[0] == pytest.approx(2 * waiting_s * 1000, rel=0.01)
    assert limits_ms[-1] == pytest.approx(2 * (waiting_s + 1) * 1000, rel=0.05)
    for _ in range(100):
        rate.observe(2 * INITIAL_RATE)
    assert rate.max_waiting(patience_s=4) == pytest.approx(4 * 2 * INITIAL_RATE, rel=0.01)


async def test_ticket_claims_over_limit_receive_retry_delay() -> None:
    most = int(AdmissionRate().max_waiting(NEW_VOTERS_WAIT_S))
    joiners = most + 3 * CLAIM_BATCH_SIZE
    slow = asyncio.Event()

    def in_database(claim: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
        async def claimed(event_id: int, shown: list[Any]) -> list[str]:
            await slow.wait()
            return ["key_wrong"] * len(shown)

        return claimed

    ticket_claims, join = TicketClaims(EVENT, in_database), PhoneJoin(code="BCDF", key="BCDF-GHJK")
    claims = [asyncio.create_task(ticket_claims.claim(join, playing(1), 0)) for _ in range(joiners)]
    done, waiting = await asyncio.wait(claims, timeout=1)
    slow.set()
    others = await asyncio.gather(*waiting, return_exceptions=True)
    assert joiners - most - CLAIM_BATCH_SIZE <= len(done) <= joiners - most
    rejected = [task.exception() for task in done]
    delays_ms = [error.within_ms for error in rejected if isinstance(error, RetryLater)]
    assert len(delays_ms) == len(rejected)
    assert 0 < min(delays_ms) < max(delays_ms) <= MAX_RETRY_MS
    assert all(isinstance(outcome, AdmissionDenied) for outcome in others)
