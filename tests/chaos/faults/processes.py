"""Processes are killed, paused or started once too often. The supervisor restarts killed ones."""

import os
import signal
import sqlite3
import subprocess
from contextlib import ExitStack, closing
from dataclasses import dataclass
from random import Random

import psycopg

from deploy.laptop.die_with_parent import die_with_parent
from deploy.laptop.stack import MANAGE
from tests.chaos.faults import Fault, Span, hold
from tests.chaos.slow_consumer import slow_consumer
from tests.chaos.target import BACK_WITHIN_S, Target
from tests.deploy.processes import wait_until

PAUSE_S: Span = (1.5, 4.0)
LONG_S: Span = (4.0, 8.0)
SLOW_PHONES = 20
PARTS = ("worker", "valkey")


@dataclass(frozen=True)
class Killed:
    """SIGKILL all processes of a part ("gateway", "scheduler": of one instance)."""

    name: str
    part: str

    def inject(self, target: Target, rng: Random) -> None:
        several = {"gateway": target.gateways, "scheduler": target.schedulers}
        target.kill(rng.choice(several.get(self.part, (self.part,))))


@dataclass(frozen=True)
class AllKilled:
    """All processes are killed at once, as in a power failure, and restart."""

    name: str = "all processes killed at once"

    def inject(self, target: Target, rng: Random) -> None:
        parts = [*PARTS, *target.schedulers, *target.gateways]
        rng.shuffle(parts)
        killed = {target.pid(part) for part in parts}
        for pid in killed:
            os.killpg(pid, signal.SIGKILL)
        wait_until(lambda: killed.isdisjoint(target.pid(part) for part in parts), BACK_WITHIN_S)


@dataclass(frozen=True)
class TasksQueued:
    """The worker is paused while turns become due, then killed; a new one finds the queued tasks."""

    name: str = "worker restarted with queued tasks"

    def inject(self, target: Target, rng: Random) -> None:
        target.pause("worker")
        hold(PAUSE_S, rng)
        target.kill("worker")


@dataclass(frozen=True)
class SchedulersPaused:
    """All schedulers are paused for a while, then killed and restarted."""

    name: str = "schedulers paused"

    def inject(self, target: Target, rng: Random) -> None:
        for name in target.schedulers:
            target.pause(name)
        hold(PAUSE_S, rng)
        for name in target.schedulers:
            target.kill(name)


@dataclass(frozen=True)
class SchedulersAndWorkerPaused:
    """No process closes turns for a while. Then all resume where they stopped."""

    name: str = "schedulers and worker paused"

    def inject(self, target: Target, rng: Random) -> None:
        groups = [target.pause(part) for part in (*target.schedulers, "worker")]
        hold(PAUSE_S, rng)
        for group in rng.sample(groups, len(groups)):
            target.resume(group)


@dataclass(frozen=True)
class ExtraScheduler:
    """A third scheduler runs for a few turns and is then killed."""

    name: str = "extra scheduler"

    def inject(self, target: Target, rng: Random) -> None:
        env = {**os.environ, **target.server.stack.env}
        with (
            (target.server.stack.logs / "scheduler-3.log").open("a") as log,
            subprocess.Popen(
                die_with_parent([*MANAGE, "scheduler"]), env=env, stdout=log, stderr=log
            ) as scheduler,
        ):
            hold(LONG_S, rng)
            scheduler.kill()


@dataclass(frozen=True)
class DatabaseInterrupted:
    """PostgreSQL: the server ends every connection. SQLite: a connection holds the lock for a while."""

    name: str = "database disconnected or locked"

    def inject(self, target: Target, rng: Random) -> None:
        if target.on_postgresql:
            with psycopg.connect(target.server.stack.database_url, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            return
        with closing(
            sqlite3.connect(target.data / "db.sqlite3", timeout=10, isolation_level=None)
        ) as database:
            database.execute("BEGIN IMMEDIATE")
            hold(PAUSE_S, rng)
            database.execute("ROLLBACK")


@dataclass(frozen=True)
class SlowConsumers:
    """Several phones do not read from their sockets."""

    name: str = "slow consumers"

    def inject(self, target: Target, rng: Random) -> None:
        with ExitStack() as held:
            for _ in range(SLOW_PHONES):
                held.enter_context(slow_consumer(target.server, rng.choice(target.events).code))
            hold(LONG_S, rng)


FAULTS: tuple[Fault, ...] = (
    Killed("gateway killed", "gateway"),
    Killed("worker killed", "worker"),
    Killed("scheduler killed", "scheduler"),
    Killed("Valkey killed", "valkey"),
    AllKilled(),
    TasksQueued(),
    SchedulersPaused(),
    SchedulersAndWorkerPaused(),
    ExtraScheduler(),
    DatabaseInterrupted(),
    SlowConsumers(),
)
