"""A simulated crowd at a running server that requires tickets or rotating codes."""

import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE
from tests.server import Server
from tests.socket_clients import SocketClients

PHONES = 20
LONGEST_S = 60
BRISK = {"window_s": 3, "reveal_s": 1, "lobby": "open", "next_match_after_s": 3}


def rehearse(
    server: Server, code: str, *options: str, secret: str | None = None
) -> "subprocess.CompletedProcess[str]":
    argv = [
        *MANAGE,
        "rehearse",
        code,
        "--url",
        server.http,
        "--phones",
        str(PHONES),
        "--turns",
        "1",
        *options,
    ]
    env = {**os.environ, **server.stack.env} | ({} if secret is None else {"SECRET_KEY": secret})
    return subprocess.run(
        argv, cwd=ROOT, env=env, check=False, timeout=LONGEST_S, capture_output=True, text=True
    )


def report_of(file: Path) -> RehearsalReport:
    return msgspec.json.decode(file.read_bytes(), type=RehearsalReport)


def test_rehearse_command_reads_tickets_from_file(server: Server, tmp_path: Path) -> None:
    event = server.ask("event", admission="tickets", **BRISK)
    server.ask("begin", event_id=event["id"])
    result = rehearse(server, event["code"])
    assert result.returncode == 1
    assert "--tickets FILE" in result.stderr
    tickets = tmp_path / "tickets.txt"
    tickets.write_text("\n".join(server.ask("tickets", event_id=event["id"], count=PHONES)))
    report = tmp_path / "report.json"
    assert rehearse(server, event["code"], "--tickets", str(tickets), "--json", str(report)).returncode == 0
    assert report_of(report).joined == PHONES
    tickets.write_text("BCDF-GHJK")
    result = rehearse(server, event["code"], "--tickets", str(tickets))
    assert "holds 1 codes, too few for 20 phones" in result.stderr


@pytest.mark.nightly
def test_rehearse_command_derives_rotating_code_from_secret(server: Server, tmp_path: Path) -> None:
    event = server.ask("event", admission="rotating", **BRISK)
    server.ask("begin", event_id=event["id"])
    report = tmp_path / "report.json"
    assert rehearse(server, event["code"], "--json", str(report)).returncode == 0
    assert report_of(report).joined == PHONES
    for secret in ("", "another"):
        result = rehearse(server, event["code"], secret=secret)
        assert result.returncode == 1
        assert "set SECRET_KEY to the server's" in result.stderr


@pytest.mark.parametrize("admission", ["tickets", "roster"])
def test_console_rehearsal_is_refused_without_tickets(
    server: Server, clients: SocketClients, admission: str
) -> None:
    event = server.ask("event", admission=admission, lobby="open")
    console = clients.console(event["code"], server.ask("session", name="olga"))
    console.receive("console.welcomed")
    console.say("action.ask", id=1, action="rehearsal.start", phones=5)
    assert "no tickets" in console.receive("action.refused", id=1)["text"]
