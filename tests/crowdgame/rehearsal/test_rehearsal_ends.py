"""A rehearsal ends: with its match, in words when something is wrong, and at once when it is stopped."""

import asyncio
import os
import signal
from dataclasses import replace

import pytest

from crowdgame.rehearsal.crowd import Crowd, RehearsalError
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE
from tests.voting.rehearsing import PHONES, PLAN, a_hall, everyone_is_in, no_phone_breaks, until, until_voted
from tests.voting.small_hall import SmallHall
from voting.protocol import MatchStarted

__all__ = ["no_phone_breaks"]


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
            async with asyncio.timeout(60):
                assert (await playing).joined == PHONES

    asyncio.run(called_off())


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
            async with asyncio.timeout(20):
                report = await playing
        assert report.joined == PHONES

    asyncio.run(late_server())
