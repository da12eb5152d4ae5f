"""500 real sockets for five turns: acknowledged, sealed and counted ballots are the same."""

import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    resolved_turns,
    sealed_ballots,
)
from tests.server import Server

pytestmark = pytest.mark.nightly

PHONES, TURNS = 500, 5
LONGEST_S = 240


def rehearse(server: Server, code: str, report: Path, *options: str) -> RehearsalReport:
    argv = [*MANAGE, "rehearse", code, "--url", server.http, *options, "--json", str(report)]
    env = {**os.environ, **server.stack.env}
    subprocess.run(argv, cwd=ROOT, env=env, check=True, timeout=LONGEST_S)
    return msgspec.json.decode(report.read_bytes(), type=RehearsalReport)


def test_crowd_of_500_phones_loses_no_ballot_in_five_turns(server: Server, tmp_path: Path) -> None:
    event = server.ask("event", window_s=3, pace="instant", lobby="open", next_match_after_s=3)
    since = len(server.log("gateway"))
    server.ask("begin", event_id=event["id"])
    options = ("--phones", str(PHONES), "--turns", str(TURNS))
    report = rehearse(server, event["code"], tmp_path / "report.json", *options)
    turns = [turn for turn in resolved_turns(server, event["id"]) if turn in report.ledger]
    assert report.joined == PHONES
    assert len(turns) >= TURNS
    assert report.ballots.lost == 0
    assert_nothing_is_lost(server, report, turns)
    assert_counts_are_of_sealed_ballots(server)
    assert_resolved_once(server, event["id"])
    for turn in turns:
        assert len(report.ledger[turn]) == len(sealed_ballots(server, turn))
    assert server.log_errors("gateway", since) == []
