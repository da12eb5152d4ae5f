"""The simulated crowd against a small server over real WebSockets."""

import asyncio
import logging
import os
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE
from tests.voting.small_hall import Seat, SmallHall, refusal
from voting.protocol import MAX_RETRY_MS, BallotCast, BallotRefused, CloseCode, MatchStarted, RetryTold
from voting.rehearsal.address import Address
from voting.rehearsal.crowd import Crowd, Plan, RehearsalError
from voting.rehearsal.hall import Hall
from voting.rehearsal.kept_seats import read_seats
from voting.rehearsal.ledger import Ledger
from voting.rehearsal.phone import Phone
from voting.rehearsal.profile import Profile
from voting.rehearsal.report import Report
from voting.rehearsal.server_clock import ServerClock
from voting.rehearsal.wire import phone_address

PHONES = 12
PLAN = Plan(phones=PHONES, joins_a_second=500, turns=2)

Happening = Callable[[SmallHall], Awaitable[None]]


def a_hall(url: str, code: str = "HALL", profile: Profile = "burst") -> Hall:
    clock = ServerClock(time.perf_counter)
    return Hall(code, Address(phone_address(url)), profile, clock, Ledger(), Random(1))


def rehearse(small: SmallHall, plan: Plan = PLAN, happening: Happening | None = None) -> Report:
    """Let a crowd play in the small hall, while `happening` goes on."""

    async def evening() -> Report:
        async with small.open():
            crowd = Crowd(plan, a_hall(small.url), lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            async with asyncio.timeout(30):
                await everyone_is_in(small, plan.phones)
                server = asyncio.create_task(small.play(plan.turns or 1))
                if happening:
                    await happening(small)
                report = await playing
            server.cancel()
            return report

    return asyncio.run(evening())


@pytest.fixture(autouse=True)
def no_phone_breaks(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """An exception in a phone ends its connection, and would look like the server's doing."""
    yield
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


async def until(so: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while True:
            if so():
                return
            await asyncio.sleep(0.01)


async def everyone_is_in(small: SmallHall, phones: int) -> None:
    await until(lambda: len(small.sockets) >= phones)


def assert_the_books_agree(report: Report, small: SmallHall) -> None:
    """What was acknowledged is what was sealed, voter by voter."""
    for entry in report.turns:
        held = {report.voters[phone]: tuple(last) for phone, last in entry.acknowledged.items()}
        assert held == {voter: ballot[1:] for voter, ballot in small.sealed[entry.turn].items()}
        assert entry.tallied == len(held)


async def until_voted(small: SmallHall, ballots: int) -> None:
    await until(lambda: len(small.ballots) >= ballots)


def test_a_crowd_joins_votes_and_keeps_its_book() -> None:
    small = SmallHall()
    report = rehearse(small)
    assert (report.joined, report.connected, report.reconnects) == (PHONES, PHONES, 0)
    assert [entry.told for entry in report.turns] == [PHONES, PHONES]
    assert [len(ballots) for ballots in small.sealed.values()] == [PHONES, PHONES]
    assert report.ballots.sent == report.ballots.acknowledged
    assert (report.ballots.refused, report.ballots.lost, report.unreadable) == ({}, 0, 0)
    assert report.ack_ms
    assert report.reveal_ms
    assert 0 <= report.reveal_ms.p50 < 500
    assert_the_books_agree(report, small)


def test_second_thoughts_have_a_growing_sequence() -> None:
    small = SmallHall()
    rehearse(small, replace(PLAN, phones=40, turns=1))
    sequences: dict[str, list[int]] = {}
    for voter, cast in small.casts:
        sequences.setdefault(voter, []).append(cast.sequence)
    assert set(map(tuple, sequences.values())) == {(1,), (1, 2)}


def test_an_unanswered_ballot_is_sent_again_the_same() -> None:
    heard: Counter[tuple[int, int]] = Counter()

    def deaf_at_first(cast: BallotCast) -> bool:
        heard[cast.turn, len(small.casts)] += 1
        return len(small.casts) > PHONES

    small = SmallHall(window_ms=4000, hears=deaf_at_first)
    report = rehearse(small, replace(PLAN, turns=1))
    first = dict(reversed(small.casts[:PHONES]))
    again = [(voter, cast) for voter, cast in small.casts[PHONES:] if voter in first]
    assert any(first[voter] == cast for voter, cast in again)
    assert len(small.sealed[1]) == PHONES
    assert report.ballots.lost == 0
    assert_the_books_agree(report, small)


def test_a_new_epoch_brings_the_ballots_again() -> None:
    async def box_is_lost(small: SmallHall) -> None:
        await until_voted(small, PHONES)
        small.lose_box()

    small = SmallHall(window_ms=2500)
    report = rehearse(small, replace(PLAN, turns=1), box_is_lost)
    assert len(small.sealed[1]) == PHONES
    assert {cast.epoch for _, cast in small.casts} == {1, 2}
    assert_the_books_agree(report, small)


def test_an_unknown_box_is_told_again_with_the_new_epoch() -> None:
    async def box_is_lost_unsaid(small: SmallHall) -> None:
        await until_voted(small, PHONES // 2)
        small.ballots, small.epoch = {}, 2
        await asyncio.sleep(0.8)
        small.lose_box()

    small = SmallHall(window_ms=3000)
    report = rehearse(small, replace(PLAN, turns=1), box_is_lost_unsaid)
    assert report.ballots.refused["unknown"]
    assert len(small.sealed[1]) == PHONES
    assert_the_books_agree(report, small)


def test_a_stale_ballot_is_sent_with_the_next_sequence() -> None:
    def has_seven(seat: Seat, cast: BallotCast) -> BallotRefused | None:
        return refusal(cast, "stale", last=7) if cast.sequence <= 7 else None

    small = SmallHall(refuse=has_seven)
    report = rehearse(small, replace(PLAN, turns=1))
    assert {sequence for _, _, sequence in small.sealed[1].values()} <= {8, 9}
    assert len(small.sealed[1]) == PHONES
    assert_the_books_agree(report, small)


def test_a_busy_server_is_asked_again_soon() -> None:
    def is_busy_at_first(seat: Seat, cast: BallotCast) -> BallotRefused | None:
        return refusal(cast, "busy") if len(small.casts) <= PHONES else None

    small = SmallHall(window_ms=2500, refuse=is_busy_at_first)
    report = rehearse(small, replace(PLAN, turns=1))
    assert report.ballots.refused["busy"] == PHONES
    assert len(small.sealed[1]) == PHONES
    assert_the_books_agree(report, small)


def test_a_ballot_refused_for_good_is_not_sent_again() -> None:
    small = SmallHall(refuse=lambda seat, cast: refusal(cast, "illegal"))
    report = rehearse(small, replace(PLAN, turns=1))
    assert report.ballots.acknowledged == 0
    assert report.ballots.refused == {"illegal": report.ballots.sent}
    assert len(set(small.casts)) == len(small.casts)


def test_a_restarting_server_finds_everyone_back_in_their_seats() -> None:
    async def server_restarts(small: SmallHall) -> None:
        await until_voted(small, PHONES // 2)
        for socket in list(small.sockets):
            await socket.close(CloseCode.UNAVAILABLE)

    small = SmallHall(window_ms=3000)
    report = rehearse(small, replace(PLAN, turns=1), server_restarts)
    assert report.reconnects == PHONES
    assert len(small.seats) == PHONES
    assert len(small.sealed[1]) == PHONES
    assert_the_books_agree(report, small)


def test_phones_come_back_when_they_are_told() -> None:
    async def gateway_is_drained(small: SmallHall) -> None:
        await until_voted(small, PHONES // 2)
        for socket in list(small.sockets):
            await small.tell(socket, RetryTold(within_ms=2500))
            await socket.close(CloseCode.RESTARTING)

    small = SmallHall(window_ms=6000)
    report = rehearse(small, replace(PLAN, turns=1), gateway_is_drained)
    assert (report.retries, report.closed) == (PHONES, {"4006": PHONES})
    assert report.reconnected_in_s
    assert report.reconnected_in_s.max > 0.6, "all came within their own back-off"
    assert len(small.sealed[1]) == PHONES
    assert_the_books_agree(report, small)


def test_no_server_sends_a_phone_away_for_longer_than_half_a_minute() -> None:
    async def sent_away() -> float:
        phone = Phone(0, a_hall("http://127.0.0.1:1"))
        phone.hear(RetryTold(within_ms=10 * MAX_RETRY_MS))
        phone.closed(CloseCode.CROWDED, "")
        assert phone._coming
        pause_s = phone._coming.when() - asyncio.get_running_loop().time()
        phone.leave()
        return pause_s

    assert 0 < asyncio.run(sent_away()) <= MAX_RETRY_MS / 1000


def test_a_server_that_vanishes_without_a_word_is_come_back_to() -> None:
    async def power_fails(small: SmallHall) -> None:
        await until_voted(small, PHONES // 2)
        for socket in list(small.sockets):
            socket.transport.abort()

    small = SmallHall(window_ms=3000)
    report = rehearse(small, replace(PLAN, turns=1), power_fails)
    assert (report.reconnects, report.closed) == (PHONES, {"no word": PHONES})
    assert_the_books_agree(report, small)


def test_a_forgotten_ballot_is_missed() -> None:
    report = rehearse(SmallHall(forgets=True))
    assert [entry.missing for entry in report.turns] == [1, 1]
    assert (report.ballots.missing, report.ballots.lost) == (2, 0)


async def command(small: SmallHall, *options: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *MANAGE,
        *("rehearse", "HALL", "--url", small.url, "--phones", str(PHONES), *options),
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "SECRET_KEY": "x"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


def test_a_rehearsal_that_misses_a_ballot_fails_in_words() -> None:
    async def forgetful() -> None:
        small = SmallHall(forgets=True)
        async with small.open():
            process = await command(small, "--turns", "1")
            await everyone_is_in(small, PHONES)
            await small.play(1)
            said, trouble = await process.communicate()
        assert process.returncode == 1
        assert trouble.decode().startswith("CommandError: 1 ballots that were acknowledged are missing")
        assert f"joined: {PHONES} of {PHONES}" in said.decode()

    asyncio.run(forgetful())


def test_a_rehearsal_that_is_interrupted_reports_what_it_saw() -> None:
    async def enough() -> None:
        small = SmallHall(window_ms=60_000)
        async with small.open():
            process = await command(small, "--profile", "burst")
            await everyone_is_in(small, PHONES)
            playing = asyncio.create_task(small.play(1))
            await until_voted(small, PHONES)
            process.send_signal(signal.SIGINT)
            said, trouble = await process.communicate()
            playing.cancel()
            await until(lambda: not small.sockets)
        assert (process.returncode, trouble) == (0, b"")
        assert f"joined: {PHONES} of {PHONES}" in said.decode()
        assert "acknowledged after: p50" in said.decode()

    asyncio.run(enough())


def test_a_match_that_is_called_off_is_over() -> None:
    async def called_off() -> None:
        small = SmallHall(window_ms=60_000)
        async with small.open():
            crowd = Crowd(replace(PLAN, turns=None), a_hall(small.url), lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            await everyone_is_in(small, PHONES)
            small.open_turn()
            small.announce(MatchStarted)
            await until_voted(small, PHONES)
            small.abort()
            async with asyncio.timeout(10):
                assert (await playing).joined == PHONES

    asyncio.run(called_off())


@pytest.mark.parametrize("code", [CloseCode.NOT_ALLOWED, CloseCode.OPEN_ELSEWHERE])
def test_a_phone_that_is_sent_away_stays_away(code: int) -> None:
    async def one_is_not_wanted(small: SmallHall) -> None:
        await next(iter(small.sockets)).close(code)

    small = SmallHall()
    report = rehearse(small, replace(PLAN, turns=1), one_is_not_wanted)
    assert report.away == {str(code): 1}
    assert (report.connected, report.reconnects) == (PHONES - 1, 0)
    assert len(small.joins) == PHONES


def test_a_phone_that_must_choose_a_team_chooses() -> None:
    small = SmallHall(ask_team=True)
    report = rehearse(small, replace(PLAN, turns=1))
    assert report.errors == {"team_needed": PHONES}
    assert Counter(seat.team for seat in small.seats.values()) == {1: PHONES // 2, 2: PHONES // 2}


def test_a_closed_door_is_knocked_at_again() -> None:
    async def doors_open_late() -> None:
        small = SmallHall(lobby="closed")
        async with small.open():
            crowd = Crowd(PLAN, a_hall(small.url), lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            await until(lambda: bool(small.joins))
            small.lobby = "open"
            await everyone_is_in(small, PHONES)
            crowd.stop()
            assert (await playing).joined == PHONES

    asyncio.run(doors_open_late())


def test_seats_in_a_file_make_the_same_crowd_again(tmp_path: Path) -> None:
    seats = tmp_path / "seats.json"
    small = SmallHall()
    rehearse(small, replace(PLAN, turns=1, seats=seats))
    tokens = read_seats(seats, "HALL")
    assert set(tokens.values()) == set(small.seats)

    async def again() -> None:
        async with small.open():
            hall = a_hall(small.url)
            hall.tokens = dict(tokens)
            crowd = Crowd(PLAN, hall, lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            await everyone_is_in(small, PHONES)
            crowd.stop()
            await playing

    asyncio.run(again())
    assert len(small.seats) == PHONES


def test_a_seat_that_is_no_longer_good_is_given_up() -> None:
    async def a_new_secret() -> None:
        small = SmallHall(bad_tokens=frozenset({"old"}))
        async with small.open():
            hall = a_hall(small.url)
            hall.tokens = dict.fromkeys(range(PHONES), "old")
            crowd = Crowd(PLAN, hall, lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            await everyone_is_in(small, PHONES)
            crowd.stop()
            report = await playing
        assert (report.joined, report.away) == (PHONES, {})
        assert len(small.joins) == 2 * PHONES

    asyncio.run(a_new_secret())


def test_no_such_event_is_said_in_one_line() -> None:
    async def wrong_code() -> None:
        small = SmallHall()
        async with small.open():
            with pytest.raises(RehearsalError, match="no event with the code NOPE"):
                await Crowd(PLAN, a_hall(small.url, "NOPE"), lambda progress: None).play()
            assert len(small.joins) == 1

    asyncio.run(wrong_code())


def test_no_server_is_said_in_one_line() -> None:
    async def nobody_there() -> None:
        with pytest.raises(RehearsalError, match="nobody can join at"):
            await Crowd(PLAN, a_hall("http://127.0.0.1:9"), lambda progress: None).play()

    asyncio.run(nobody_there())


def test_a_crowd_until_stopped_waits_for_its_server_and_leaves_at_once() -> None:
    async def late_server() -> None:
        small = SmallHall()
        async with small.open():
            port = small.port
        plan = replace(PLAN, until_stopped=True)
        crowd = Crowd(plan, a_hall(f"http://127.0.0.1:{port}"), lambda progress: None)
        playing = asyncio.create_task(crowd.play())
        await asyncio.sleep(0.5)
        async with small.open(port):
            await everyone_is_in(small, PHONES)
            crowd.stop()
            async with asyncio.timeout(1.0):
                report = await playing
        assert report.joined == PHONES

    asyncio.run(late_server())
