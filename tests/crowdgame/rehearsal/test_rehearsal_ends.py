"""A rehearsal ends: with its match, in words when something is wrong, and at once when it is stopped."""

import asyncio
import os
import signal
from dataclasses import replace

import pytest

from crowdgame.rehearsal.crowd import Crowd, RehearsalError
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE
from tests.voting.fake_server import FakeServer
from tests.voting.rehearsal_helpers import (
    PHONES,
    PLAN,
    everyone_is_in,
    new_context,
    no_phone_breaks,
    until,
    until_voted,
)
from voting.protocol import MatchStarted

__all__ = ["no_phone_breaks"]


async def command(fake: FakeServer, *options: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *MANAGE,
        *("rehearse", "HALL", "--url", fake.url, "--phones", str(PHONES), *options),
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "SECRET_KEY": "x"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


def test_a_rehearsal_that_misses_a_ballot_fails_in_words() -> None:
    async def losing_ballot() -> None:
        fake = FakeServer(loses_ballot=True)
        async with fake.open():
            process = await command(fake, "--turns", "1")
            await everyone_is_in(fake, PHONES)
            await fake.play(1)
            said, errors = await process.communicate()
        assert process.returncode == 1
        assert errors.decode().startswith("CommandError: 1 ballots that were acknowledged are missing")
        assert f"joined: {PHONES} of {PHONES}" in said.decode()

    asyncio.run(losing_ballot())


def test_a_rehearsal_that_is_interrupted_reports_what_it_saw() -> None:
    async def enough() -> None:
        fake = FakeServer(window_ms=60_000)
        async with fake.open():
            process = await command(fake, "--profile", "burst")
            await everyone_is_in(fake, PHONES)
            playing = asyncio.create_task(fake.play(1))
            await until_voted(fake, PHONES)
            process.send_signal(signal.SIGINT)
            said, errors = await process.communicate()
            playing.cancel()
            await until(lambda: not fake.sockets)
        assert (process.returncode, errors) == (0, b"")
        assert f"joined: {PHONES} of {PHONES}" in said.decode()
        assert "acknowledged after: p50" in said.decode()

    asyncio.run(enough())


def test_a_match_that_is_called_off_is_over() -> None:
    async def called_off() -> None:
        fake = FakeServer(window_ms=60_000)
        async with fake.open():
            crowd = Crowd(replace(PLAN, turns=None), new_context(fake.url), lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            await everyone_is_in(fake, PHONES)
            fake.open_turn()
            fake.announce(MatchStarted)
            await until_voted(fake, PHONES)
            fake.abort()
            async with asyncio.timeout(60):
                assert (await playing).joined == PHONES

    asyncio.run(called_off())


def test_no_such_event_is_said_in_one_line() -> None:
    async def wrong_code() -> None:
        fake = FakeServer()
        async with fake.open():
            with pytest.raises(RehearsalError, match="no event with the code NOPE"):
                await Crowd(PLAN, new_context(fake.url, "NOPE"), lambda progress: None).play()
            assert len(fake.joins) == 1

    asyncio.run(wrong_code())


def test_no_server_is_said_in_one_line() -> None:
    async def nobody_there() -> None:
        with pytest.raises(RehearsalError, match="nobody can join at"):
            await Crowd(PLAN, new_context("http://127.0.0.1:9"), lambda progress: None).play()

    asyncio.run(nobody_there())


def test_a_crowd_until_stopped_waits_for_its_server_and_leaves_at_once() -> None:
    async def late_server() -> None:
        fake = FakeServer()
        async with fake.open():
            port = fake.port
        plan = replace(PLAN, until_stopped=True)
        crowd = Crowd(plan, new_context(f"http://127.0.0.1:{port}"), lambda progress: None)
        playing = asyncio.create_task(crowd.play())
        await asyncio.sleep(0.5)
        async with fake.open(port):
            await everyone_is_in(fake, PHONES)
            crowd.stop()
            async with asyncio.timeout(20):
                report = await playing
        assert report.joined == PHONES

    asyncio.run(late_server())
