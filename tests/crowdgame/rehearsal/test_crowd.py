"""A simulated crowd at a running gateway: joining, reconnecting, its ballots, and how a rehearsal ends."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis
from websockets.asyncio.server import ServerConnection

from crowdgame.rehearsal import simulated_phone
from crowdgame.rehearsal.crowd import SHORT_TICK_S, Crowd, CrowdPlan, RehearsalError
from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.rehearsal.saved_seats import read_seats
from tests.crowd_helpers import connected
from tests.crowdgame.rehearsal.conftest import (
    PHONES,
    PLAN,
    Answer,
    FaultProxy,
    assert_ballots_are_sealed,
    new_context,
    rehearse,
    send,
    until,
    until_voted,
)
from tests.monitoring.probes import paused
from voting.ballot_box.box_types import turn_keys
from voting.protocol import BallotCast, BallotCounted, BallotRefused, CloseCode, Refusal, RetryAfter

pytestmark = pytest.mark.usefixtures("no_phone_breaks")


def join(
    proxy: FaultProxy,
    plan: CrowdPlan = PLAN,
    tokens: Sequence[str] = (),
    meanwhile: Callable[[], Awaitable[None]] | None = None,
) -> RehearsalReport:
    async def joined() -> RehearsalReport:
        async with proxy.open(), asyncio.timeout(30):
            context = new_context(proxy.url, proxy.event["code"], tokens)
            crowd = Crowd(plan, context, lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            if meanwhile:
                await meanwhile()
            await until(lambda: context.connected == PHONES)
            crowd.stop()
            return await playing

    return asyncio.run(joined())


@pytest.mark.nightly
def test_phones_retry_at_closed_lobby_and_choose_team(proxy: FaultProxy) -> None:
    async def open_lobby_late() -> None:
        await until(lambda: len(proxy.joins) > 1)
        proxy.server.ask("edit", event_id=proxy.event["id"], lobby="open")

    proxy.make_event(lobby="closed", team_choice="choose")
    report = join(proxy, meanwhile=open_lobby_late)
    assert report.joined == report.errors["team_needed"] == PHONES
    assert report.errors["lobby_closed"]
    assert Counter(report.teams.values()) == {1: PHONES // 2, 2: PHONES // 2}


def test_saved_seats_restore_the_same_crowd(proxy: FaultProxy, tmp_path: Path) -> None:
    proxy.make_event()
    file = tmp_path / "seats.json"
    report = join(proxy, replace(PLAN, seats=file))
    tokens = read_seats(file, proxy.event["code"])
    assert len(set(report.voters.values())) == len(tokens) == PHONES
    assert join(proxy, tokens=[*tokens.values()]).voters == report.voters


@pytest.mark.nightly
def test_rejected_seat_token_leads_to_new_join(proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the crowd looks for its first phone while that waits to reconnect."""
    monkeypatch.setattr(simulated_phone, "BACK_OFF_S", 40 * SHORT_TICK_S)
    proxy.make_event()
    report = join(proxy, tokens=["old"] * PHONES)
    assert (report.joined, report.away) == (PHONES, {})
    assert len(proxy.joins) == 2 * PHONES


async def drain(phone: ServerConnection) -> None:
    await send(phone, RetryAfter(within_ms=2500))
    await phone.close(CloseCode.RESTARTING)


async def abort(phone: ServerConnection) -> None:
    phone.transport.abort()


@pytest.mark.parametrize(
    ("disturb", "closed", "retries"),
    [
        (lambda phone: phone.close(CloseCode.UNAVAILABLE), str(CloseCode.UNAVAILABLE), 0),
        pytest.param(drain, str(CloseCode.RESTARTING), PHONES, marks=pytest.mark.nightly),
        pytest.param(abort, "no word", 0, marks=pytest.mark.nightly),
    ],
    ids=["restart", "drain", "abort"],
)
def test_disconnected_phones_return_to_their_seats(
    disturb: Callable[[ServerConnection], Awaitable[None]], closed: str, retries: int, proxy: FaultProxy
) -> None:
    async def disturb_all(proxy: FaultProxy) -> None:
        # Without a heartbeat since they joined, the turn would not wait for the phones to return.
        await until(lambda: connected(proxy.server, proxy.event["id"]) == PHONES)
        await until_voted(proxy, PHONES // 2)
        for phone in list(proxy.phones):
            await disturb(phone)

    proxy.make_event()
    report = rehearse(proxy, PLAN, disturb_all)
    assert (report.reconnects, report.closed, report.retries) == (PHONES, {closed: PHONES}, retries)
    assert report.reconnected_in_s
    assert disturb is not drain or report.reconnected_in_s.max > 0.6, "all within their own back-off"
    assert len(proxy.voters) == PHONES
    assert_ballots_are_sealed(proxy, report)


@pytest.mark.parametrize(
    "code", [CloseCode.NOT_ALLOWED, pytest.param(CloseCode.OPEN_ELSEWHERE, marks=pytest.mark.nightly)]
)
def test_phone_stays_away_after_final_close_code(code: int, proxy: FaultProxy) -> None:
    async def close_one_phone(proxy: FaultProxy) -> None:
        await next(iter(proxy.phones)).close(code)

    proxy.make_event(window_s=3, close_early=False)
    report = rehearse(proxy, PLAN, close_one_phone)
    assert (report.away, report.connected, report.reconnects) == ({str(code): 1}, PHONES - 1, 0)
    assert len(proxy.joins) == PHONES


def test_crowd_votes_and_report_matches_server(proxy: FaultProxy) -> None:
    proxy.make_event(window_s=4, close_early=False)
    report = rehearse(proxy, replace(PLAN, phones=40, turns=2))
    assert (report.joined, report.connected, report.reconnects) == (40, 40, 0)
    assert [entry.reveals_received for entry in report.turns] == [40, 40]
    assert report.ballots.sent == report.ballots.acknowledged
    assert (report.ballots.refused, report.ballots.lost, report.unreadable) == ({}, 0, 0)
    assert report.ack_ms
    assert report.reveal_ms
    assert 0 <= report.reveal_ms.p50 < 60_000
    assert_ballots_are_sealed(proxy, report, 40)
    blinds: dict[tuple[str, int, int], set[str | None]] = {}
    for voter, cast in proxy.casts:
        blinds.setdefault((voter, cast.turn, cast.sequence), set()).add(cast.blind)
    assert {sequence for _, _, sequence in blinds} == {1, 2}
    assert all(len(drawn) == 1 and None not in drawn for drawn in blinds.values())
    assert len(set.union(*blinds.values())) == len(blinds)
    for entry in report.turns:
        for phone, (_, sequence) in entry.acknowledged.items():
            assert {entry.blinds[phone]} == blinds[report.voters[phone], entry.turn, sequence]


def once(*codes: Refusal) -> Answer:
    """Answer the first ballot of each voter with these refusals."""
    answered = set[str]()

    def answer(voter: str, cast: BallotCast) -> list[BallotRefused] | None:
        if voter in answered:
            return None
        answered.add(voter)
        return [BallotRefused(turn=cast.turn, sequence=cast.sequence, code=code, last=7) for code in codes]

    return answer


@pytest.mark.parametrize(
    ("codes", "first_sealed"),
    [
        pytest.param((), 1, marks=pytest.mark.nightly, id="no answer"),
        pytest.param(("busy",), 1, id="busy"),
        pytest.param(("stale",), 8, marks=pytest.mark.nightly, id="stale"),
    ],
)
def test_ballot_is_resent_until_counted(
    codes: tuple[Refusal, ...], first_sealed: int, proxy: FaultProxy
) -> None:
    proxy.make_event()
    proxy.answer = once(*codes)
    report = rehearse(proxy)
    assert dict.fromkeys(codes, PHONES).items() <= report.ballots.refused.items()
    assert report.ballots.lost == 0
    assert_ballots_are_sealed(proxy, report)
    [entry] = report.turns
    assert {sequence for _, sequence in entry.acknowledged.values()} <= {first_sealed, first_sealed + 1}
    if first_sealed == 1:  # resent unchanged, unless the voter has changed the vote meanwhile
        assert max(Counter(proxy.casts).values()) > 1


@pytest.mark.nightly
def test_ballots_are_resent_in_new_epoch(proxy: FaultProxy) -> None:
    """The box is lost after half of the ballots; the others are refused until the turn is restored."""

    async def lose_box(proxy: FaultProxy) -> None:
        await until_voted(proxy, PHONES // 2)
        with paused(proxy.server, *proxy.server.stack.scheduler_names):
            with Redis.from_url(proxy.server.stack.redis) as redis:
                redis.delete(*turn_keys(proxy.event["id"], proxy.casts[0][1].turn))
            await until_voted(proxy)

    proxy.make_event()
    report = rehearse(proxy, PLAN, lose_box)
    assert report.ballots.refused["unknown"]
    assert {cast.epoch for _, cast in proxy.casts} == {1, 2}
    assert_ballots_are_sealed(proxy, report)


@pytest.mark.nightly
def test_phones_resend_ballots_missing_after_reconnect(proxy: FaultProxy) -> None:
    """No new epoch announces the loss: the gateway never stored what it acknowledged."""

    async def reconnect(proxy: FaultProxy) -> None:
        await until_voted(proxy)
        proxy.answer = lambda voter, cast: None
        for phone in list(proxy.phones):
            await phone.close(CloseCode.RESTARTING)

    proxy.make_event()
    proxy.answer = lambda voter, cast: [
        BallotCounted(turn=cast.turn, choice=cast.choice, sequence=cast.sequence)
    ]
    report = rehearse(proxy, PLAN, reconnect)
    assert report.ballots.lost == 0
    assert_ballots_are_sealed(proxy, report)


def test_rehearsal_ends_with_aborted_match(proxy: FaultProxy) -> None:
    async def abort_match(proxy: FaultProxy) -> None:
        await until_voted(proxy)
        proxy.server.ask("abort_all_matches")

    proxy.make_event(close_early=False)
    assert rehearse(proxy, replace(PLAN, turns=None), abort_match).joined == PHONES


def test_rehearsal_without_server_or_of_unknown_event_fails_with_message(proxy: FaultProxy) -> None:
    async def join_unknown_event() -> None:
        async with proxy.open():
            with pytest.raises(RehearsalError, match="no event with the code NOPE"):
                await Crowd(PLAN, new_context(proxy.url), lambda progress: None).play()
        with pytest.raises(RehearsalError, match="nobody can join at"):
            await Crowd(PLAN, new_context(proxy.url, tokens=["old"]), lambda progress: None).play()
        assert len(proxy.joins) == 1

    asyncio.run(join_unknown_event())


def test_until_stopped_crowd_waits_for_server_and_stops(proxy: FaultProxy) -> None:
    async def start_server_late() -> None:
        async with proxy.open():
            pass
        context = new_context(proxy.url, proxy.event["code"])
        crowd = Crowd(replace(PLAN, until_stopped=True), context, lambda progress: None)
        playing = asyncio.create_task(crowd.play())
        await asyncio.sleep(0.5)
        async with proxy.open(proxy.port), asyncio.timeout(20):
            await until(lambda: context.connected == PHONES)
            crowd.stop()
            assert (await playing).joined == PHONES

    proxy.make_event()
    asyncio.run(start_server_late())
