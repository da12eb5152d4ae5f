"""Rehearsals of every profile against a running server, side by side."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import get_args

import pytest

from crowdgame.rehearsal.profile import Profile
from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from tests.deploy.processes import wait_until
from tests.ledger import assert_counts_are_of_sealed_ballots, assert_nothing_is_lost, resolved_turns
from tests.load.bench.load_run import running_crowd
from tests.server import Server

pytestmark = pytest.mark.nightly

PHONES, TURNS, WINDOW_S = 40, 3, 5
Reports = dict[str, tuple[int, RehearsalReport, str]]


@pytest.fixture(scope="module")
def reports(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reports]:
    """The event id, report and console output of each profile."""
    home = tmp_path_factory.mktemp("reports")
    choices = {"window_s": WINDOW_S, "pace": "instant", "lobby": "open", "next_match_after_s": 3}
    since = len(server.log("gateway"))
    with ExitStack() as stack:
        running = {}
        for profile in get_args(Profile):
            event = server.ask("event", owner="otto", **choices)
            argv = [event["code"], "--url", server.http, "--profile", profile, "--turns", str(TURNS)]
            crowd = stack.enter_context(running_crowd(argv, PHONES, server, home / profile))
            running[profile] = event["id"], crowd
        for event_id, crowd in running.values():
            wait_until(crowd.has_joined)
            server.ask("begin", event_id=event_id)
        found = {
            p: (event_id, crowd.wait(), crowd.log.read_text()) for p, (event_id, crowd) in running.items()
        }
        assert [crowd.process.returncode for _, crowd in running.values()] == [0] * len(running), found
        assert server.log_errors("gateway", since) == []
        yield found


@pytest.mark.parametrize("profile", get_args(Profile))
def test_rehearsal_reports_no_missing_ballots(profile: Profile, server: Server, reports: Reports) -> None:
    event, report, output = reports[profile]
    turns = [turn for turn in resolved_turns(server, event) if turn in report.ledger]
    assert len(turns) >= TURNS
    assert (report.profile, report.joined) == (profile, PHONES)
    assert (report.ballots.missing, report.unreadable) == (0, 0)
    assert sum(turn.receipts for turn in report.turns) > 0
    assert profile == "last-second" or report.ballots.lost == 0
    assert_nothing_is_lost(server, report, turns)
    assert_counts_are_of_sealed_ballots(server)
    assert f"joined: {PHONES} of {PHONES}" in output
    assert report.sealed_ms
    assert report.resolved_ms
    assert 0 <= report.sealed_ms.max <= report.resolved_ms.max
    assert report.joined_in_s


def test_herd_profile_reconnects_every_phone(reports: Reports) -> None:
    _, report, output = reports["herd"]
    assert report.reconnects == PHONES
    assert report.reconnected_in_s
    assert f"most {report.reconnected_in_s.max:.2f} s" in output


def test_churn_profile_keeps_reconnecting_phones(reports: Reports) -> None:
    _, report, _ = reports["churn"]
    assert report.reconnects >= 3
    assert report.reconnected_in_s
    assert report.reconnected_in_s.max > 0.2


@pytest.mark.parametrize("profile", ["spread", "burst", "last-second"])
def test_calm_profiles_keep_their_connections(profile: Profile, reports: Reports) -> None:
    assert reports[profile][1].reconnects == 0
