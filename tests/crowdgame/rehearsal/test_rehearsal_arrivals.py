"""Simulated phones join, reconnect as instructed, and stay away after a final close code."""

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from crowdgame.rehearsal.crowd import Crowd
from crowdgame.rehearsal.saved_seats import read_seats
from crowdgame.rehearsal.simulated_phone import Phone
from tests.voting.fake_server import FakeServer
from tests.voting.rehearsal_helpers import (
    PHONES,
    PLAN,
    assert_ledgers_agree,
    new_context,
    no_phone_breaks,
    rehearse,
    until,
    until_voted,
    wait_for_all_joined,
)
from voting.protocol import MAX_RETRY_MS, CloseCode, RetryAfter

__all__ = ["no_phone_breaks"]


# ------------------------------------------------------------------ joining
def test_phones_choose_team_when_asked() -> None:
    fake = FakeServer(ask_team=True)
    report = rehearse(fake, replace(PLAN, turns=1))
    assert report.errors == {"team_needed": PHONES}
    assert Counter(seat.team for seat in fake.seats.values()) == {1: PHONES // 2, 2: PHONES // 2}


def test_phones_retry_while_lobby_is_closed() -> None:
    async def open_lobby_late() -> None:
        fake = FakeServer(lobby="closed")
        async with fake.open():
            crowd = Crowd(PLAN, new_context(fake.url), lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            await until(lambda: bool(fake.joins))
            fake.lobby = "open"
            await wait_for_all_joined(fake, PHONES)
            crowd.stop()
            assert (await playing).joined == PHONES

    asyncio.run(open_lobby_late())


def test_saved_seats_restore_the_same_crowd(tmp_path: Path) -> None:
    seats = tmp_path / "seats.json"
    fake = FakeServer()
    rehearse(fake, replace(PLAN, turns=1, seats=seats))
    tokens = read_seats(seats, "HALL")
    assert set(tokens.values()) == set(fake.seats)

    async def again() -> None:
        async with fake.open():
            context = new_context(fake.url)
            context.tokens = dict(tokens)
            crowd = Crowd(PLAN, context, lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            await wait_for_all_joined(fake, PHONES)
            crowd.stop()
            await playing

    asyncio.run(again())
    assert len(fake.seats) == PHONES


def test_rejected_seat_token_leads_to_new_join() -> None:
    async def join_with_bad_tokens() -> None:
        fake = FakeServer(bad_tokens=frozenset({"old"}))
        async with fake.open():
            context = new_context(fake.url)
            context.tokens = dict.fromkeys(range(PHONES), "old")
            crowd = Crowd(PLAN, context, lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            await wait_for_all_joined(fake, PHONES)
            crowd.stop()
            report = await playing
        assert (report.joined, report.away) == (PHONES, {})
        assert len(fake.joins) == 2 * PHONES

    asyncio.run(join_with_bad_tokens())


# ------------------------------------------------------------------ reconnecting
def test_phones_reconnect_to_their_seats_after_server_restart() -> None:
    async def server_restarts(fake: FakeServer) -> None:
        await until_voted(fake, PHONES // 2)
        for socket in list(fake.sockets):
            await socket.close(CloseCode.UNAVAILABLE)

    fake = FakeServer(window_ms=3000)
    report = rehearse(fake, replace(PLAN, turns=1), server_restarts)
    assert report.reconnects == PHONES
    assert len(fake.seats) == PHONES
    assert len(fake.sealed[1]) == PHONES
    assert_ledgers_agree(report, fake)


def test_phones_spread_reconnects_over_announced_period() -> None:
    async def gateway_is_drained(fake: FakeServer) -> None:
        await until_voted(fake, PHONES // 2)
        for socket in list(fake.sockets):
            await fake.send(socket, RetryAfter(within_ms=2500))
            await socket.close(CloseCode.RESTARTING)

    fake = FakeServer(window_ms=6000)
    report = rehearse(fake, replace(PLAN, turns=1), gateway_is_drained)
    assert (report.retries, report.closed) == (PHONES, {"4006": PHONES})
    assert report.reconnected_in_s
    assert report.reconnected_in_s.max > 0.6, "all reconnected within their own back-off"
    assert len(fake.sealed[1]) == PHONES
    assert_ledgers_agree(report, fake)


def test_phone_caps_retry_delay() -> None:
    async def retry_pause_s() -> float:
        phone = Phone(0, new_context("http://127.0.0.1:1"))
        phone.receive(RetryAfter(within_ms=10 * MAX_RETRY_MS))
        phone.closed(CloseCode.CROWDED, "")
        assert phone._reconnect_timer
        pause_s = phone._reconnect_timer.when() - asyncio.get_running_loop().time()
        phone.leave()
        return pause_s

    assert 0 < asyncio.run(retry_pause_s()) <= MAX_RETRY_MS / 1000


def test_phones_reconnect_after_connections_are_aborted() -> None:
    async def power_fails(fake: FakeServer) -> None:
        await until_voted(fake, PHONES // 2)
        for socket in list(fake.sockets):
            socket.transport.abort()

    fake = FakeServer(window_ms=3000)
    report = rehearse(fake, replace(PLAN, turns=1), power_fails)
    assert (report.reconnects, report.closed) == (PHONES, {"no word": PHONES})
    assert_ledgers_agree(report, fake)


@pytest.mark.parametrize("code", [CloseCode.NOT_ALLOWED, CloseCode.OPEN_ELSEWHERE])
def test_phone_stays_away_after_final_close_code(code: int) -> None:
    async def close_one_phone(fake: FakeServer) -> None:
        await next(iter(fake.sockets)).close(code)

    fake = FakeServer()
    report = rehearse(fake, replace(PLAN, turns=1), close_one_phone)
    assert report.away == {str(code): 1}
    assert (report.connected, report.reconnects) == (PHONES - 1, 0)
    assert len(fake.joins) == PHONES
