"""Receivers that hang delay neither turns nor e-mails: the worker of webhooks is a process of its own."""

import json
import socket
from pathlib import Path
from types import SimpleNamespace
from urllib.request import Request, urlopen

import pytest

from crowdgame.server.laptop.network import LOOPBACK
from tests.deploy.processes import wait_until
from tests.mailbox import running_mail_server
from tests.server import running_server

pytestmark = pytest.mark.nightly
THREADS = 8  # of the worker of webhooks


def test_turn_closes_and_mail_is_sent_while_receivers_hang(tmp_path: Path) -> None:
    smtp = SimpleNamespace()
    with running_mail_server(smtp) as mailbox, socket.create_server((LOOPBACK, 0)) as silent:
        silent.settimeout(60)
        mail = f"smtp+plain://{LOOPBACK}:{smtp.EMAIL_PORT}"
        with running_server(
            tmp_path, analyzes=False, schedulers=1, webhooks="private", email_url=mail
        ) as server:
            event = server.ask("event")
            address = f"{server.http}/api/v1/events/{event['code']}/webhooks/"
            body = json.dumps({"url": f"http://{LOOPBACK}:{silent.getsockname()[1]}/"}).encode()
            token = server.ask("api_token", name="olga", scopes=["run"])
            for _ in range(THREADS):
                with urlopen(Request(address, body, {"Authorization": f"Bearer {token}"})):  # noqa: S310
                    pass
            turn = server.ask("close_after", event_id=event["id"], ms=600_000)
            hanging = [silent.accept() for _ in range(THREADS)]
            server.ask("close_after", event_id=event["id"], ms=0)
            server.ask("queue_mails", count=1)
            closed = "SELECT 1 FROM games_turn WHERE id = ? AND state <> 'open'"  # paused, as nobody voted
            wait_until(lambda: server.rows(closed, turn))
            wait_until(lambda: mailbox.mails)
            assert not server.rows("SELECT 1 FROM api_webhookdelivery WHERE attempts > 0")
            for connection, _ in hanging:
                connection.close()
