"""The analyzer as a process beside the others: a timeline of a match, a dead analyzer, and a killed one."""

import os
import signal
import time
from collections.abc import Iterator
from urllib.request import urlopen

import psutil
import pytest

from crowdgame.results.analysis.analyzer import NICE
from tests.deploy.processes import wait_until
from tests.monitoring.probes import paused
from tests.server import Server, running_server

pytestmark = pytest.mark.nightly

ANALYZER_LOOKS_S = 1.5
ON_TIME_MS = 1_000
# Queries of one event.
ROWS = (
    "SELECT turn.number, turn.state FROM analysis_turnanalysis JOIN games_turn turn ON turn.id = turn_id "
    "JOIN games_match match ON match.id = match_id WHERE event_id = ? ORDER BY turn.number"
)
RESOLVED = (
    "SELECT resolved_at - closes_at FROM games_turn turn JOIN games_match match ON match.id = match_id "
    "WHERE turn.state = 'resolved' AND event_id = ? ORDER BY turn.number"
)
REVEALS = (
    "SELECT COUNT(*), COUNT(sent_at) FROM voting_announcement "
    """WHERE CAST(body AS TEXT) LIKE '%"turn.revealed"%' AND event_id = ?"""
)


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("analyzed")) as running:
        yield running


def close(server: Server, event_id: int) -> None:
    """Let the running processes close the turn."""
    before = len(server.rows(RESOLVED, event_id))
    server.ask("close_after", event_id=event_id, ms=300)
    wait_until(lambda: len(server.rows(RESOLVED, event_id)) == before + 1)


def report(server: Server, code: str) -> str:
    with urlopen(f"{server.http}/report/{code}/1") as answer:  # noqa: S310
        page: str = answer.read().decode()
        return page


def let_analyzer_look() -> None:
    """Give the analyzer time for what it must not do: nothing happens that a test could wait for."""
    time.sleep(ANALYZER_LOOKS_S)


def test_no_analysis_exists_before_its_turn_is_revealed(own_server: Server) -> None:
    server = own_server
    event = server.ask("event", window_s=600, options={"token": "red"}, analysis="turn")
    server.ask("play_to", event_id=event["id"], picks=[])
    let_analyzer_look()
    assert server.rows(ROWS, event["id"]) == [], "in the window"
    with paused(server, "scheduler-1", "scheduler-2", "worker"):
        server.ask("close_after", event_id=event["id"], ms=0)
        let_analyzer_look()
        assert server.rows(ROWS, event["id"]) == [], "after the deadline"
        assert "Every pair of columns" not in report(server, event["code"])
    wait_until(lambda: server.rows(ROWS, event["id"]) == [(1, "resolved")])
    assert server.rows(REVEALS, event["id"]) == [(1, 1)], "made and sent"
    assert report(server, event["code"]).count('<section class="analysis"') == 1
    let_analyzer_look()
    assert server.rows(ROWS, event["id"]) == [(1, "resolved")], "the next turn is open"
    server.ask("void", event_id=event["id"])
    assert "Every pair of columns" not in report(server, event["code"])


def test_dead_analyzer_delays_no_turn_and_catches_up(own_server: Server) -> None:
    server = own_server
    event = server.ask("event", window_s=600, options={"token": "red"}, analysis="turn")
    pid = server.supervisor.pid("analyzer")
    assert pid is not None
    with paused(server, "analyzer"):
        close(server, event["id"])
        assert server.rows(ROWS, event["id"]) == []
        assert all(late < ON_TIME_MS for (late,) in server.rows(RESOLVED, event["id"]))
        assert "Turn by turn" in report(server, event["code"])
    os.kill(pid, signal.SIGKILL)
    close(server, event["id"])
    wait_until(lambda: server.rows(ROWS, event["id"]) == [(1, "resolved"), (2, "resolved")], 60)
    again = server.supervisor.pid("analyzer")
    assert again is not None
    assert again != pid
    threads = psutil.Process(again).threads()
    assert NICE in {os.getpriority(os.PRIO_PROCESS, thread.id) for thread in threads}
