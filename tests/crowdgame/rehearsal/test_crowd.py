import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection

from crowdgame.rehearsal.crowd import Crowd, RehearsalError
from crowdgame.rehearsal.saved_seats import read_seats
from tests.crowd_helpers import connected
from tests.crowdgame.rehearsal.conftest import (
    PHONES,
    PLAN,
    FaultProxy,
    assert_ballots_are_sealed,
    new_context,
    playing_crowd,
    until,
    until_voted,
)
from voting.protocol import BallotCast, BallotCounted, BallotRefused, CloseCode

pytestmark = pytest.mark.usefixtures("no_phone_breaks")


@pytest.mark.nightly
async def test_phones_retry_at_closed_lobby_and_choose_team(proxy: FaultProxy) -> None:
    proxy.make_event(lobby="closed", team_choice="choose")
    async with playing_crowd(proxy, joins=False) as playing:
        await until(lambda: len(proxy.joins) > 1)
        proxy.server.ask("edit", event_id=proxy.event["id"], lobby="open")
        await until(lambda: playing.context.connected == PHONES)
        playing.crowd.stop()
        report = await playing.report
    assert report.joined == report.errors["team_needed"] == PHONES
    assert report.errors["lobby_closed"]
    assert Counter(report.teams.values()) == {1: PHONES // 2, 2: PHONES // 2}


async def test_saved_seats_restore_the_same_crowd(proxy: FaultProxy, tmp_path: Path) -> None:
    async def join(tokens: list[str]) -> dict[int, str]:
        async with playing_crowd(proxy, replace(PLAN, seats=tmp_path / "seats"), tokens) as playing:
            playing.crowd.stop()
            report = await playing.report
        assert (report.joined, report.away) == (PHONES, {})
        return report.voters

    proxy.make_event()
    voters = await join([])
    saved = read_seats(tmp_path / "seats", proxy.event["code"])
    assert len(set(voters.values())) == len(saved) == PHONES
    assert await join([*saved.values()]) == voters
    joins = len(proxy.joins)
    assert not {*(await join(["old"] * PHONES)).values()} & {*voters.values()}
    assert len(proxy.joins) == joins + 2 * PHONES


async def restart(phone: ServerConnection) -> None:
    await phone.close(CloseCode.UNAVAILABLE)


async def drain(phone: ServerConnection) -> None:
    await phone.send('{"type":"retry.after","within_ms":2500}')
    await phone.close(CloseCode.RESTARTING)


async def abort(phone: ServerConnection) -> None:
    phone.transport.abort()


@pytest.mark.parametrize(
    ("disturb", "closed", "retries"),
    [
        (restart, str(CloseCode.UNAVAILABLE), 0),
        pytest.param(drain, str(CloseCode.RESTARTING), PHONES, marks=pytest.mark.nightly),
        pytest.param(abort, "no word", 0, marks=pytest.mark.nightly),
    ],
)
async def test_disconnected_phones_return_to_their_seats(
    disturb: Callable[[ServerConnection], Awaitable[None]], closed: str, retries: int, proxy: FaultProxy
) -> None:
    proxy.make_event()
    async with playing_crowd(proxy) as playing:
        proxy.begin()
        # Without a heartbeat since they joined, the turn would not wait for the phones to return.
        await until(lambda: connected(proxy.server, proxy.event["id"]) == PHONES)
        await until_voted(proxy, PHONES // 2)
        for phone in list(proxy.phones):
            await disturb(phone)
        report = await playing.report
    assert (report.reconnects, report.closed, report.retries) == (PHONES, {closed: PHONES}, retries)
    assert report.reconnected_in_s
    assert disturb is not drain or report.reconnected_in_s.max > 0.6, "all within their own back-off"
    assert_ballots_are_sealed(proxy, report)


@pytest.mark.parametrize(
    "code", [CloseCode.NOT_ALLOWED, pytest.param(CloseCode.OPEN_ELSEWHERE, marks=pytest.mark.nightly)]
)
async def test_phone_stays_away_after_final_close_code(code: int, proxy: FaultProxy) -> None:
    proxy.make_event(window_s=3, close_early=False)
    async with playing_crowd(proxy) as playing:
        proxy.begin()
        await next(iter(proxy.phones)).close(code)
        report = await playing.report
    assert (report.away, report.connected, report.reconnects) == ({str(code): 1}, PHONES - 1, 0)
    assert len(proxy.joins) == PHONES


async def test_crowd_votes_and_report_matches_server(proxy: FaultProxy) -> None:
    proxy.make_event(window_s=4, close_early=False)
    async with playing_crowd(proxy, replace(PLAN, phones=40, turns=2)) as playing:
        proxy.begin()
        report = await playing.report
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


@pytest.mark.parametrize("is_answered", [True, pytest.param(False, marks=pytest.mark.nightly)])
async def test_ballot_is_resent_until_counted(is_answered: bool, proxy: FaultProxy) -> None:
    """The first ballot of each voter is refused, or its answer is lost."""
    refused = set[str]()

    def refuse_first(voter: str, cast: BallotCast) -> list[BallotRefused] | None:
        if voter in refused:
            return None
        refused.add(voter)
        return [BallotRefused(turn=cast.turn, sequence=cast.sequence, code="busy")] * is_answered

    proxy.make_event()
    proxy.answer = refuse_first
    async with playing_crowd(proxy) as playing:
        proxy.begin()
        report = await playing.report
    assert report.ballots.refused.get("busy", 0) == PHONES * is_answered
    assert report.ballots.lost == 0
    assert_ballots_are_sealed(proxy, report)
    # Resent unchanged, unless the voter has changed the vote meanwhile.
    assert {sequence for _, sequence in report.turns[0].acknowledged.values()} <= {1, 2}
    assert max(Counter(proxy.casts).values()) > 1


@pytest.mark.nightly
async def test_phones_resend_ballots_missing_after_reconnect(proxy: FaultProxy) -> None:
    """No new epoch announces the loss: the gateway never stored what it acknowledged."""
    proxy.make_event()
    proxy.answer = lambda _, cast: [BallotCounted(turn=cast.turn, choice=cast.choice, sequence=cast.sequence)]
    async with playing_crowd(proxy) as playing:
        proxy.begin()
        await until_voted(proxy)
        proxy.answer = lambda voter, cast: None
        for phone in list(proxy.phones):
            await phone.close(CloseCode.RESTARTING)
        report = await playing.report
    assert report.ballots.lost == 0
    assert_ballots_are_sealed(proxy, report)


async def test_rehearsal_ends_with_aborted_match(proxy: FaultProxy) -> None:
    proxy.make_event(close_early=False)
    async with playing_crowd(proxy, replace(PLAN, turns=None)) as playing:
        proxy.begin()
        await until_voted(proxy)
        proxy.server.ask("abort_all_matches")
        assert (await playing.report).joined == PHONES


async def test_rehearsal_without_server_or_of_unknown_event_fails_with_message(proxy: FaultProxy) -> None:
    async with proxy.open():
        with pytest.raises(RehearsalError, match="no event with the code NOPE"):
            await Crowd(PLAN, new_context(proxy.url), lambda progress: None).play()
    with pytest.raises(RehearsalError, match="nobody can join at"):
        await Crowd(PLAN, new_context(proxy.url, tokens=["old"]), lambda progress: None).play()
    assert len(proxy.joins) == 1


async def test_until_stopped_crowd_waits_for_server_and_stops(proxy: FaultProxy) -> None:
    proxy.make_event()
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
