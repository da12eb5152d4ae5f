"""Processes are killed, paused or started once too often, or phones do not read.

The supervisor restarts killed processes.
"""

import json
import os
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from random import Random

import psycopg
from websockets.sync.client import connect

from crowdgame.server.laptop.die_with_parent import die_with_parent
from crowdgame.server.laptop.stack import MANAGE
from tests.chaos.faults import Fault, Inject, Span, hold
from tests.chaos.target import BACK_WITHIN_S, Target
from tests.deploy.processes import wait_until
from tests.server import Server

PAUSE_S: Span = (1.5, 4.0)
LONG_S: Span = (4.0, 8.0)
PARTS = ("worker", "valkey", "chatreader")
END_CONNECTIONS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def kill(part: str) -> Inject:
    """SIGKILL all processes of a part ("gateway", "scheduler": of one instance)."""

    def inject(target: Target, rng: Random) -> None:
        several = {"gateway": target.stack.gateway_names, "scheduler": target.stack.scheduler_names}
        target.kill(rng.choice(several.get(part, (part,))))

    return inject


def kill_all(target: Target, rng: Random) -> None:
    parts = [*PARTS, *target.stack.scheduler_names, *target.stack.gateway_names]
    rng.shuffle(parts)
    killed = {target.pid(part) for part in parts}
    for pid in killed:
        os.killpg(pid, signal.SIGKILL)
    wait_until(lambda: killed.isdisjoint(target.pid(part) for part in parts), BACK_WITHIN_S)


def pause_then_kill_worker(target: Target, rng: Random) -> None:
    """The worker is paused while turns become due, then killed; a new one finds the queued tasks."""
    target.pause("worker")
    hold(PAUSE_S, rng)
    target.kill("worker")


def pause_then_kill_schedulers(target: Target, rng: Random) -> None:
    for name in target.stack.scheduler_names:
        target.pause(name)
    hold(PAUSE_S, rng)
    for name in target.stack.scheduler_names:
        target.kill(name)


def pause_schedulers_and_worker(target: Target, rng: Random) -> None:
    """No process closes turns for a while. Then all resume where they stopped."""
    groups = [target.pause(part) for part in (*target.stack.scheduler_names, "worker")]
    hold(PAUSE_S, rng)
    for group in rng.sample(groups, len(groups)):
        target.resume(group)


def run_extra_scheduler(target: Target, rng: Random) -> None:
    argv, env = die_with_parent([*MANAGE, "scheduler"]), {**os.environ, **target.stack.env}
    with (
        (target.stack.logs / "scheduler-3.log").open("a") as log,
        subprocess.Popen(argv, env=env, stdout=log, stderr=log) as scheduler,
    ):
        hold(LONG_S, rng)
        scheduler.kill()


def interrupt_database(target: Target, rng: Random) -> None:
    """PostgreSQL: the server ends every connection. SQLite: a connection holds the lock for a while."""
    if target.stack.database_url:
        with psycopg.connect(target.stack.database_url, autocommit=True) as connection:
            connection.execute(END_CONNECTIONS)
        return
    path = target.stack.data / "db.sqlite3"
    with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        hold(PAUSE_S, rng)
        database.execute("ROLLBACK")


def add_slow_consumers(target: Target, rng: Random) -> None:
    with ExitStack() as held:
        for _ in range(20):
            held.enter_context(slow_consumer(target, rng.choice(target.events)["code"]))
        hold(LONG_S, rng)


@contextmanager
def slow_consumer(server: Server, code: str) -> Iterator[None]:
    raw_socket = socket.socket()
    raw_socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    raw_socket.settimeout(10)
    try:
        raw_socket.connect((server.stack.address, server.stack.port))
        connection = connect(
            f"{server.ws}/phone",
            sock=raw_socket,
            compression=None,
            proxy=None,
            max_queue=1,
            ping_interval=None,
            close_timeout=0.1,
        )
        connection.send(json.dumps({"type": "phone.join", "code": code}))
        yield
    finally:
        raw_socket.close()


FAULTS = (
    *(Fault(f"{part} killed", kill(part)) for part in ("gateway", "worker", "scheduler")),
    Fault("Valkey killed", kill("valkey")),
    Fault("all processes killed at once", kill_all),
    Fault("worker restarted with queued tasks", pause_then_kill_worker),
    Fault("schedulers paused", pause_then_kill_schedulers),
    Fault("schedulers and worker paused", pause_schedulers_and_worker),
    Fault("extra scheduler", run_extra_scheduler),
    Fault("database disconnected or locked", interrupt_database),
    Fault("slow consumers", add_slow_consumers),
)
