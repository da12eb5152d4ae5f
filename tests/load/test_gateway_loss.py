"""A gateway that dies in the middle of a vote: its phones return by their seat tokens."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.deploy.processes import becomes_true, wait_until
from tests.ledger import assert_nothing_is_lost, list_turns, resolved_turns
from tests.load.bench.load_run import running_crowd
from tests.server import running_server
from voting.ballot_box.box_types import event_key, turn_keys

PHONES, TURNS = 400, 2


@pytest.mark.nightly
def test_killed_gateway_loses_no_seat_and_no_acknowledged_ballot(tmp_path: Path) -> None:
    with running_server(tmp_path / "server", gateways=2, analyzes=False) as server:
        event = server.ask("event", owner="otto", window_s=8, pace="instant", lobby="open")
        argv = [event["code"], "--url", server.http, "--turns", str(TURNS)]
        with (
            redis.Redis.from_url(server.stack.redis) as store,
            running_crowd(argv, PHONES, server, tmp_path / "crowd") as crowd,
        ):
            wait_until(crowd.has_joined)
            server.ask("begin", event_id=event["id"])
            [turn] = list_turns(server, event["id"], "open")

            def cast() -> int:
                arrivals: Any = store.hget(turn_keys(event["id"], turn)[0], "arrivals")
                return int(arrivals or 0)

            becomes_true(lambda: cast() > PHONES / 4, 30, 0.01)
            assert list_turns(server, event["id"], "open") == [turn], "the vote was over already"
            pid = server.supervisor.pid("gateway-1")
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            report = crowd.wait()
            seats = store.hlen(event_key(event["id"], "voters"))
        assert server.supervisor.deaths("gateway-1") == 1
        assert (report.connected, report.joined, seats) == (PHONES, PHONES, PHONES)
        assert 0 < report.reconnects < PHONES
        turns = [one for one in resolved_turns(server, event["id"]) if one in report.ledger]
        assert turn in turns
        assert_nothing_is_lost(server, report, turns)
        assert (report.ballots.missing, report.ballots.lost) == (0, 0)
