"""How a rehearsal ends: with its match, with an error message, or when it is stopped."""

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
    new_context,
    no_phone_breaks,
    until,
    until_voted,
    wait_for_all_joined,
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


def test_rehearse_command_fails_if_ballot_is_missing() -> None:
    async def lose_ballot() -> None:
        fake = FakeServer(loses_ballot=True)
        async with fake.open():
            process = await command(fake, "--turns", "1")
            await wait_for_all_joined(fake, PHONES)
            await fake.play(1)
            output, errors = await process.communicate()
        assert process.returncode == 1
        assert errors.decode().startswith("CommandError: 1 acknowledged ballots are missing")
        assert f"joined: {PHONES} of {PHONES}" in output.decode()

    asyncio.run(lose_ballot())


def test_interrupted_rehearsal_prints_its_report() -> None:
    async def interrupt() -> None:
        fake = FakeServer(window_ms=60_000)
        async with fake.open():
            process = await command(fake, "--profile", "burst")
            await wait_for_all_joined(fake, PHONES)
            playing = asyncio.create_task(fake.play(1))
            await until_voted(fake, PHONES)
            process.send_signal(signal.SIGINT)
            output, errors = await process.communicate()
            playing.cancel()
            await until(lambda: not fake.sockets)
        assert (process.returncode, errors) == (0, b"")
        assert f"joined: {PHONES} of {PHONES}" in output.decode()
        assert "acknowledged after: p50" in output.decode()

    asyncio.run(interrupt())


def test_rehearsal_ends_with_aborted_match() -> None:
    async def abort_match() -> None:
        fake = FakeServer(window_ms=60_000)
        async with fake.open():
            crowd = Crowd(replace(PLAN, turns=None), new_context(fake.url), lambda progress: None)
            playing = asyncio.create_task(crowd.play())
            await wait_for_all_joined(fake, PHONES)
            fake.open_turn()
            fake.announce(MatchStarted)
            await until_voted(fake, PHONES)
            fake.abort()
            async with asyncio.timeout(60):
                assert (await playing).joined == PHONES

    asyncio.run(abort_match())


def test_rehearsal_of_unknown_event_fails_with_message() -> None:
    async def join_unknown_event() -> None:
        fake = FakeServer()
        async with fake.open():
            with pytest.raises(RehearsalError, match="no event with the code NOPE"):
                await Crowd(PLAN, new_context(fake.url, "NOPE"), lambda progress: None).play()
            assert len(fake.joins) == 1

    asyncio.run(join_unknown_event())


def test_rehearsal_without_server_fails_with_message() -> None:
    async def join_unreachable_server() -> None:
        with pytest.raises(RehearsalError, match="nobody can join at"):
            await Crowd(PLAN, new_context("http://127.0.0.1:9"), lambda progress: None).play()

    asyncio.run(join_unreachable_server())


def test_until_stopped_crowd_waits_for_server_and_stops() -> None:
    async def start_server_late() -> None:
        fake = FakeServer()
        async with fake.open():
            port = fake.port
        plan = replace(PLAN, until_stopped=True)
        crowd = Crowd(plan, new_context(f"http://127.0.0.1:{port}"), lambda progress: None)
        playing = asyncio.create_task(crowd.play())
        await asyncio.sleep(0.5)
        async with fake.open(port):
            await wait_for_all_joined(fake, PHONES)
            crowd.stop()
            async with asyncio.timeout(20):
                report = await playing
        assert report.joined == PHONES

    asyncio.run(start_server_late())
