"""The analyzer as a process beside the others: it stands still, and is killed."""

import os
import signal
from pathlib import Path

import psutil
import pytest

from crowdgame.results.analysis.analyzer import NICE
from tests.deploy.processes import wait_until
from tests.monitoring.probes import paused
from tests.server import running_server

pytestmark = pytest.mark.nightly

# Queries of one event.
ANALYZED = (
    "SELECT turn.number FROM analysis_turnanalysis JOIN games_turn turn ON turn.id = turn_id "
    "JOIN games_match match ON match.id = match_id WHERE event_id = ? ORDER BY turn.number"
)
RESOLVED = (
    "SELECT turn.number FROM games_turn turn JOIN games_match match ON match.id = match_id "
    "WHERE turn.state = 'resolved' AND event_id = ?"
)


def test_dead_analyzer_delays_no_turn_and_catches_up(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        event = server.ask("event", window_s=600, options={"token": "red"}, analysis="turn")["id"]

        def close_turn(number: int) -> None:
            server.ask("close_after", event_id=event, ms=300)
            wait_until(lambda: len(server.rows(RESOLVED, event)) == number)

        pid = server.supervisor.pid("analyzer")
        assert pid is not None
        with paused(server, "analyzer"):
            close_turn(1)
            assert server.rows(ANALYZED, event) == []
        os.kill(pid, signal.SIGKILL)
        close_turn(2)
        wait_until(lambda: server.rows(ANALYZED, event) == [(1,), (2,)], 300)
        again = server.supervisor.pid("analyzer")
        assert again not in (None, pid)
        threads = psutil.Process(again).threads()
        assert NICE in {os.getpriority(os.PRIO_PROCESS, thread.id) for thread in threads}
