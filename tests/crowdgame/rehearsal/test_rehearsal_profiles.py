"""Rehearsals of every profile against a running server, side by side."""

from contextlib import ExitStack
from pathlib import Path
from typing import get_args

import pytest

from crowdgame.rehearsal.profile import Profile
from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from tests.deploy.processes import wait_until
from tests.ledger import assert_counts_are_of_sealed_ballots, assert_nothing_is_lost, resolved_turns
from tests.load.bench.load_run import running_crowd
from tests.server import Server

pytestmark = pytest.mark.nightly

PHONES, TURNS = 40, 3
CHOICES = {"window_s": 5, "pace": "instant", "lobby": "open", "next_match_after_s": 3}


def test_rehearsals_of_every_profile_lose_no_ballot(server: Server, tmp_path: Path) -> None:
    since = len(server.log("gateway"))
    with ExitStack() as stack:
        running = {}
        for profile in get_args(Profile):
            event = server.ask("event", owner="otto", **CHOICES)
            argv = [event["code"], "--url", server.http, "--profile", profile, "--turns", str(TURNS)]
            crowd = stack.enter_context(running_crowd(argv, PHONES, server, tmp_path / profile))
            running[profile] = event["id"], crowd
        for event_id, crowd in running.values():
            wait_until(crowd.has_joined)
            server.ask("begin", event_id=event_id)
        for profile, (event_id, crowd) in running.items():
            report, output = crowd.wait(), crowd.log.read_text()
            assert crowd.process.returncode == 0, output
            assert f"joined: {PHONES} of {PHONES}" in output
            turns = [turn for turn in resolved_turns(server, event_id) if turn in report.ledger]
            assert len(turns) >= TURNS
            assert_nothing_is_lost(server, report, turns)
            assert_reported(profile, report, output)
    assert_counts_are_of_sealed_ballots(server)
    assert server.log_errors("gateway", since) == []


def assert_reported(profile: Profile, report: RehearsalReport, output: str) -> None:
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
