"""A slow mail server delays no turn: a worker of its own waits for it."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.stack import Stack, workers
from crowdgame.server.laptop.startup import reset_metrics_dir, start_ballot_box
from crowdgame.server.laptop.supervisor import Supervisor
from tests.deploy.processes import wait_until
from tests.doctor import run_doctor
from tests.mailbox import Mailbox
from tests.server import Server, give_database, organizer

DELAY_S = 4  # of each mail; the client gives up after five seconds


class SlowMailbox(Mailbox):
    """Accepts the sender of a mail after DELAY_S."""

    def __init__(self) -> None:
        super().__init__()
        self.is_in_use = False
        self.stopping = asyncio.Event()

    async def handle_MAIL(self, *received: Any) -> str:  # noqa: N802
        self.is_in_use = True
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), DELAY_S)
        return await super().handle_MAIL(*received)


@pytest.fixture
def smtp() -> Iterator[Controller]:
    controller = Controller(SlowMailbox(), hostname=LOOPBACK, port=free_port())
    controller.start()
    yield controller
    controller.loop.call_soon_threadsafe(controller.handler.stopping.set)
    controller.stop()


@pytest.fixture
def server(tmp_path: Path, smtp: Controller) -> Iterator[Server]:
    """The workers of a stack, without a scheduler that would close what they leave open."""
    mail_server = f"smtp+plain://{LOOPBACK}:{smtp.port}"
    stack = Stack(
        data=tmp_path, secret_key="of the test", port=0, valkey_port=free_port(), email_url=mail_server
    )
    reset_metrics_dir(stack.metrics_dir)
    with Supervisor(stack.logs) as supervisor, organizer(stack) as asked:
        start_ballot_box(stack, supervisor)
        give_database(stack)
        supervisor.start(*workers(stack))
        yield Server(stack, supervisor, asked)
        supervisor.stop(within_s=0)


def count(server: Server, rows: str) -> int:
    return int(server.rows(f"SELECT count(*) FROM {rows}")[0][0])  # noqa: S608


@pytest.mark.nightly
def test_turn_closes_while_mails_wait_for_a_slow_server(server: Server, smtp: Controller) -> None:
    event = server.ask("event")["id"]
    server.ask("queue_mails", count=20)
    wait_until(lambda: smtp.handler.is_in_use, within_s=60)
    turn = server.ask("close_after", event_id=event, ms=0)
    server.ask("call_worker", turn_id=turn)
    wait_until(lambda: count(server, f"games_turn WHERE id = {turn} AND state != 'open'"), within_s=60)
    assert count(server, "accounts_queuedmail") > 0
    assert "✓ workers" in run_doctor(server.stack)
