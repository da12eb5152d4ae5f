import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from crowdgame.rehearsal.crowd import Crowd, RehearsalError
from crowdgame.rehearsal.saved_seats import read_seats
from tests.crowd_helpers import connected
from tests.crowdgame.rehearsal.conftest import PHONES, PLAN, FaultProxy, new_context, playing_crowd, until
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


@pytest.mark.parametrize(
    "code",
    [
        CloseCode.UNAVAILABLE,
        pytest.param(CloseCode.RESTARTING, marks=pytest.mark.nightly),
        pytest.param(None, marks=pytest.mark.nightly, id="no word"),
    ],
)
async def test_disconnected_phones_return_to_their_seats(code: int | None, proxy: FaultProxy) -> None:
    proxy.make_event()
    is_announced = code == CloseCode.RESTARTING
    async with playing_crowd(proxy) as playing:
        proxy.begin()
        # Without a heartbeat since they joined, the turn would not wait for the phones to return.
        await until(lambda: connected(proxy.server, proxy.event["id"]) == PHONES)
        await proxy.until_voted(PHONES // 2)
        for phone in list(proxy.phones):
            if is_announced:
                await phone.send('{"type":"retry.after","within_ms":2500}')
            if code:
                await phone.close(code)
            else:
                phone.transport.abort()
        report = await playing.report
    assert (report.reconnects, report.closed) == (PHONES, {str(code or "no word"): PHONES})
    assert report.retries == PHONES * is_announced
    assert report.reconnected_in_s
    assert not is_announced or report.reconnected_in_s.max > 0.6, "all within their own back-off"
    proxy.assert_ballots_are_sealed(report)


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
    proxy.assert_ballots_are_sealed(report, 40)
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
    proxy.assert_ballots_are_sealed(report)
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
        await proxy.until_voted()
        proxy.answer = lambda voter, cast: None
        for phone in list(proxy.phones):
            await phone.close(CloseCode.RESTARTING)
        report = await playing.report
    assert report.ballots.lost == 0
    proxy.assert_ballots_are_sealed(report)


async def test_rehearsal_ends_with_aborted_match(proxy: FaultProxy) -> None:
    proxy.make_event(close_early=False)
    async with playing_crowd(proxy, replace(PLAN, turns=None)) as playing:
        proxy.begin()
        await proxy.until_voted()
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
