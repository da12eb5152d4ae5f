"""The worker of webhooks is killed while it sends a push message: the device gets it at most twice."""

import os
import signal
import socket
from pathlib import Path

import pytest

from crowdgame.server.laptop.network import LOOPBACK
from tests.crowdgame.organizer.api.receiver import running_receiver
from tests.deploy.processes import wait_until
from tests.push_device import PushDevice
from tests.server import running_server

pytestmark = pytest.mark.nightly
QUEUED = "SELECT 1 FROM notifications_pushnotification WHERE news = 'vote_open'"


def test_message_is_sent_again_after_worker_was_killed(tmp_path: Path) -> None:
    with running_server(
        tmp_path, analyzes=False, schedulers=1, webhooks="private", public_url="http://localhost"
    ) as server:
        event = server.ask("event", window_s=24 * 3600)
        with socket.create_server((LOOPBACK, 0)) as silent:
            silent.settimeout(60)
            port = silent.getsockname()[1]
            device = PushDevice(f"http://{LOOPBACK}:{port}/")
            server.ask("add_device", event_id=event["id"], voter="red1", subscription=device.subscription(""))
            server.ask("open_turn_now", event_id=event["id"])
            server.ask("make_pushes_due")
            connection, _ = silent.accept()
            pid = server.supervisor.pid("webhooks")
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            connection.close()
        assert server.rows(QUEUED)
        with running_receiver(port=port) as receiver:
            wait_until(lambda: server.supervisor.pid("webhooks") not in (None, pid))
            server.ask("make_pushes_due")  # as at the end of the lease
            wait_until(lambda: not server.rows(QUEUED))
        ((_, body),) = receiver.requests
        assert device.decrypt(body)["title"] == "The vote is open: An evening"
