"""The command `manage.py rehearse`, without a server, at a running one, and at events that require a code."""

import asyncio
import os
import signal
import socket
import subprocess
from pathlib import Path

import msgspec
import pytest

from crowdgame.rehearsal.address import ServerAddress, resolve
from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE
from tests.crowdgame.rehearsal.conftest import FaultProxy, until, until_voted
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


@pytest.mark.nightly
def test_rehearse_command_connects_from_given_address() -> None:
    with socket.create_server((LOOPBACK, 0)) as listener:
        url = f"http://{LOOPBACK}:{listener.getsockname()[1]}"
        with start("HALL", "--url", url, "--source", "127.0.0.2", "--phones", "1") as process:
            listener.settimeout(LONGEST_S)
            connection, (address, _) = listener.accept()
            connection.close()
            process.kill()
    assert address == "127.0.0.2"


def test_phones_connect_from_all_given_addresses_in_turn() -> None:
    address = asyncio.run(resolve(ServerAddress(NO_SERVER.replace("http", "ws"), "127.0.0.2,127.0.0.3")))
    pipes = [address.options["socket_factory"](None) for _ in range(3)]
    assert [pipe.getsockname()[0] for pipe in pipes] == ["127.0.0.2", "127.0.0.3", "127.0.0.2"]
    for pipe in pipes:
        pipe.close()


@pytest.mark.nightly
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT], ids=lambda ending: ending.name)
def test_rehearse_command_without_server_stops_on_signal(ending: signal.Signals, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    with start("HALL", "--url", NO_SERVER, "--until-stopped", "--json", str(report)) as process:
        assert process.stdout
        assert process.stdout.readline() == "connecting\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(ending)
        assert process.wait(LONGEST_S) == 0
    assert b'"joined":0' in report.read_bytes()


@pytest.mark.parametrize("interrupted", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_rehearse_command_prints_report(interrupted: bool, proxy: FaultProxy) -> None:
    """It is interrupted, or ends after a turn in which the server has lost a ballot."""

    async def play() -> tuple[int, str, str]:
        options = ["--profile", "burst", "--phones", str(PHONES), "--turns", "1"]
        async with proxy.open(), asyncio.timeout(LONGEST_S):
            with start(f"{proxy.url}/{proxy.event['code']}", *options) as process:
                await until(lambda: len(proxy.phones) == PHONES)
                proxy.begin()
                await until_voted(proxy, PHONES)
                if interrupted:
                    process.send_signal(signal.SIGINT)
                output, errors = await asyncio.to_thread(process.communicate)
            await until(lambda: not proxy.phones)
        return process.returncode, output, errors

    proxy.make_event(window_s=60 if interrupted else 3, close_early=False)
    if not interrupted:
        proxy.answer = lambda voter, cast: (
            [BallotCounted(turn=cast.turn, choice=cast.choice, sequence=cast.sequence)]
            if voter == proxy.casts[0][0]
            else None
        )
    code, output, errors = asyncio.run(play())
    assert f"joined: {PHONES} of {PHONES}" in output
    assert "acknowledged after: p50" in output
    assert code == (0 if interrupted else 1)
    assert errors.startswith("" if interrupted else "CommandError: 1 acknowledged ballots are missing")
    assert bool(errors) is not interrupted


@pytest.mark.nightly
@pytest.mark.parametrize("admission", ["tickets", "rotating"])
def test_rehearse_command_joins_with_codes(admission: str, server: Server, tmp_path: Path) -> None:
    """Of a file, or derived from the secret."""

    def rehearse(*options: str, **environment: str) -> str:
        """Rehearse one turn; return the error output."""
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


@pytest.mark.parametrize("admission", ["tickets", "roster"])
def test_console_rehearsal_is_refused_without_tickets(
    server: Server, clients: SocketClients, admission: str
) -> None:
    event = server.ask("event", admission=admission, lobby="open")
    console = open_console(server, clients, event["code"])
    console.say("action.ask", id=1, action="rehearsal.start", phones=5)
    assert "no tickets" in console.receive("action.refused", id=1)["text"]
