import asyncio
import os
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from crowdgame.rehearsal.address import ServerAddress, resolve
from crowdgame.rehearsal.profile import Profile
from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE
from tests import crowd_helpers as crowds
from tests.crowdgame.rehearsal.conftest import FaultProxy, until
from tests.deploy.processes import wait_until
from tests.server import Server
from tests.socket_clients import SocketClients
from tests.voting.consoles import open_console
from voting.protocol import BallotCounted

PHONES = 20
LONGEST_S = 60
TERMS = {"window_s": 60, "pace": "instant", "lobby": "open", "close_early": True}
NO_SERVER = "http://127.0.0.1:9"
ENVIRONMENT = {"PATH": os.environ["PATH"], "SECRET_KEY": "x", "REDIS_URL": "redis://127.0.0.1:1/0"}


def start(*arguments: str, environment: dict[str, str] = ENVIRONMENT) -> "subprocess.Popen[str]":
    argv, pipe = [*MANAGE, "rehearse", *arguments], subprocess.PIPE
    return subprocess.Popen(argv, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--url", NO_SERVER),
        pytest.param(("--url", "hall"), marks=pytest.mark.nightly),
        pytest.param(("--phones", "1000000000"), marks=pytest.mark.nightly),
        pytest.param(("--seats", "/"), marks=pytest.mark.nightly),
    ],
    ids=" ".join,
)
def test_rehearse_command_fails_with_one_line(arguments: tuple[str, ...]) -> None:
    with start("HALL", *arguments) as process:
        output, errors = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 1
    assert output in ("", "connecting\n")
    assert len(errors.splitlines()) == 1
    assert ("Run several rehearsals in parallel" in errors) is ("1000000000" in arguments)


def test_phones_connect_from_all_given_addresses_in_turn() -> None:
    address = asyncio.run(resolve(ServerAddress(NO_SERVER.replace("http", "ws"), "127.0.0.2,127.0.0.3")))
    pipes = [address.options["socket_factory"](None) for _ in range(3)]
    assert [pipe.getsockname()[0] for pipe in pipes] == ["127.0.0.2", "127.0.0.3", "127.0.0.2"]
    for pipe in pipes:
        pipe.close()


@pytest.mark.parametrize("interrupted", [False, pytest.param(True, marks=pytest.mark.nightly)])
async def test_rehearse_command_prints_report(interrupted: bool, proxy: FaultProxy) -> None:
    """It is interrupted, or ends after a turn in which the server has lost a ballot."""
    proxy.make_event(window_s=60 if interrupted else 3, close_early=False)
    if not interrupted:
        proxy.answer = lambda voter, cast: (
            [BallotCounted(turn=cast.turn, choice=cast.choice, sequence=cast.sequence)]
            if voter == proxy.casts[0][0]
            else None
        )
    async with proxy.open(), asyncio.timeout(LONGEST_S):
        options = ["--profile", "burst", "--phones", str(PHONES), "--turns", "1"]
        with start(f"{proxy.url}/{proxy.event['code']}", *options) as process:
            await until(lambda: len(proxy.phones) == PHONES)
            proxy.begin()
            await proxy.until_voted(PHONES)
            if interrupted:
                process.send_signal(signal.SIGINT)
            output, errors = await asyncio.to_thread(process.communicate)
        await until(lambda: not proxy.phones)
    assert f"joined: {PHONES} of {PHONES}" in output
    assert "acknowledged after: p50" in output
    assert process.returncode == (0 if interrupted else 1)
    assert errors.startswith("" if interrupted else "CommandError: 1 acknowledged ballots are missing")
    assert bool(errors) is not interrupted


@pytest.mark.nightly
@pytest.mark.parametrize("admission", ["tickets", "rotating"])
def test_rehearse_command_joins_with_codes(admission: str, server: Server, tmp_path: Path) -> None:
    def rehearse(*options: str, **environment: str) -> str:
        phones = ("--url", server.http, "--phones", str(PHONES), "--turns", "1", "--json", str(report))
        process_env = {**os.environ, **server.stack.env, **environment}
        with start(event["code"], *phones, *options, environment=process_env) as process:
            errors = process.communicate(timeout=LONGEST_S)[1]
        assert (process.returncode == 0) == (errors == "")
        return errors

    report, tickets = tmp_path / "report.json", tmp_path / "tickets.txt"
    event, options = server.ask("event", admission=admission, **TERMS), list[str]()
    if admission == "rotating":
        for secret in ("", "another"):
            assert "set SECRET_KEY to the server's" in rehearse(SECRET_KEY=secret)
    else:
        assert "--tickets FILE" in rehearse()
        tickets.write_text("BCDF-GHJK")
        assert "holds 1 codes, too few for 20 phones" in rehearse("--tickets", str(tickets))
        tickets.write_text("\n".join(server.ask("tickets", event_id=event["id"], count=PHONES)))
        options = ["--tickets", str(tickets)]
    server.ask("begin", event_id=event["id"])
    assert rehearse(*options) == ""
    assert msgspec.json.decode(report.read_bytes(), type=RehearsalReport).joined == PHONES


def test_console_rehearsal_is_refused_without_tickets(server: Server, clients: SocketClients) -> None:
    event = server.ask("event", admission="tickets", lobby="open")
    console = open_console(server, clients, event["code"])
    console.say("action.ask", id=1, action="rehearsal.start", phones=5)
    assert "no tickets" in console.receive("action.refused", id=1)["text"]


@pytest.mark.nightly
def test_rehearsals_of_every_profile_lose_no_ballot(server: Server, tmp_path: Path) -> None:
    since = len(server.log("gateway"))
    with ExitStack() as stack:
        running = {}
        for profile in get_args(Profile):
            event = server.ask("event", window_s=5, pace="instant", lobby="open", next_match_after_s=3)
            argv = [event["code"], "--url", server.http, "--profile", profile, "--turns", "3"]
            crowd = stack.enter_context(crowds.running_crowd(argv, PHONES, server, tmp_path / profile))
            running[profile] = event["id"], crowd
        for event_id, crowd in running.values():
            wait_until(crowd.has_joined)
            server.ask("begin", event_id=event_id)
        for profile, (event_id, crowd) in running.items():
            report, output = crowd.wait(), crowd.log.read_text()
            assert crowd.process.returncode == 0, output
            assert f"joined: {PHONES} of {PHONES}" in output
            turns = [turn for turn in crowds.resolved_turns(server, event_id) if turn in report.ledger]
            assert len(turns) >= 3
            crowds.assert_nothing_is_lost(server, report, turns)
            assert (report.profile, report.joined) == (profile, PHONES)
            assert (report.ballots.missing, report.unreadable) == (0, 0)
            assert sum(turn.receipts for turn in report.turns) > 0
            assert profile == "last-second" or report.ballots.lost == 0
            assert report.joined_in_s
            assert report.sealed_ms
            assert report.resolved_ms
            assert 0 <= report.sealed_ms.max <= report.resolved_ms.max
            least, most = {"herd": (PHONES, PHONES), "churn": (3, report.reconnects)}.get(profile, (0, 0))
            assert least <= report.reconnects <= most
            slowest_s = report.reconnected_in_s.max if report.reconnected_in_s else 0
            assert profile != "herd" or f"most {slowest_s:.2f} s" in output
            assert profile != "churn" or slowest_s > 0.2
    crowds.assert_counts_are_of_sealed_ballots(server)
    assert server.log_errors("gateway", since) == []
