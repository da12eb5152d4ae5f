"""A part of the house dies, stops, or there is one too many of it; what has died is started again."""

import os
import signal
import sqlite3
import subprocess
from contextlib import ExitStack, closing
from dataclasses import dataclass
from random import Random

import psycopg

from deploy.laptop.leash import leashed
from deploy.laptop.stack import MANAGE
from tests.chaos.faults import Fault, Span, last
from tests.chaos.night import BACK_WITHIN_S, Night
from tests.chaos.slow_reader import slow_reader
from tests.deploy.processes import wait_until

STILL_S: Span = (1.5, 4.0)
LONG_S: Span = (4.0, 8.0)
READERS = 20
PARTS = ("worker", "valkey")


@dataclass(frozen=True)
class Killed:
    """kill -9, of all processes of a part ("gateway", "clock": of one of them)."""

    name: str
    part: str

    def inject(self, night: Night, rng: Random) -> None:
        several = {"gateway": night.gateways, "clock": night.clocks}
        night.kill(rng.choice(several.get(self.part, (self.part,))))


@dataclass(frozen=True)
class AllKilled:
    """As when the power fails: all at once, and all come back."""

    name: str = "everything killed at once"

    def inject(self, night: Night, rng: Random) -> None:
        parts = [*PARTS, *night.clocks, *night.gateways]
        rng.shuffle(parts)
        killed = {night.pid(part) for part in parts}
        for pid in killed:
            os.killpg(pid, signal.SIGKILL)
        wait_until(lambda: killed.isdisjoint(night.pid(part) for part in parts), BACK_WITHIN_S)


@dataclass(frozen=True)
class TasksQueued:
    """The worker stops; turns become due; it is killed and another one finds all the tasks that wait."""

    name: str = "worker restarted with tasks queued"

    def inject(self, night: Night, rng: Random) -> None:
        night.pause("worker")
        last(STILL_S, rng)
        night.kill("worker")


@dataclass(frozen=True)
class NoClock:
    """For a while there is no clock, then new ones."""

    name: str = "no clock"

    def inject(self, night: Night, rng: Random) -> None:
        for name in night.clocks:
            night.pause(name)
        last(STILL_S, rng)
        for name in night.clocks:
            night.kill(name)


@dataclass(frozen=True)
class NeitherClockNorWorker:
    """Nobody closes anything for a while; both come back where they were."""

    name: str = "clock and worker stand still"

    def inject(self, night: Night, rng: Random) -> None:
        groups = [night.pause(part) for part in (*night.clocks, "worker")]
        last(STILL_S, rng)
        for group in rng.sample(groups, len(groups)):
            night.go_on(group)


@dataclass(frozen=True)
class OneClockMore:
    """A third clock for a few turns, ended in the middle of its work."""

    name: str = "one clock more"

    def inject(self, night: Night, rng: Random) -> None:
        env = {**os.environ, **night.house.stack.env}
        with (
            (night.house.stack.logs / "clock-3.log").open("a") as log,
            subprocess.Popen(leashed([*MANAGE, "clock"]), env=env, stdout=log, stderr=log) as clock,
        ):
            last(LONG_S, rng)
            clock.kill()


@dataclass(frozen=True)
class DatabaseCut:
    """PostgreSQL: every connection is ended by the server. SQLite: somebody holds the lock for a while."""

    name: str = "database cut or locked"

    def inject(self, night: Night, rng: Random) -> None:
        if night.on_postgresql:
            with psycopg.connect(night.house.stack.database_url, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            return
        with closing(
            sqlite3.connect(night.data / "db.sqlite3", timeout=10, isolation_level=None)
        ) as database:
            database.execute("BEGIN IMMEDIATE")
            last(STILL_S, rng)
            database.execute("ROLLBACK")


@dataclass(frozen=True)
class SlowReaders:
    """Phones that read nothing of what they are told."""

    name: str = "slow readers"

    def inject(self, night: Night, rng: Random) -> None:
        with ExitStack() as held:
            for _ in range(READERS):
                held.enter_context(slow_reader(night.house, rng.choice(night.events).code))
            last(LONG_S, rng)


FAULTS: tuple[Fault, ...] = (
    Killed("gateway killed", "gateway"),
    Killed("worker killed", "worker"),
    Killed("clock killed", "clock"),
    Killed("Valkey killed", "valkey"),
    AllKilled(),
    TasksQueued(),
    NoClock(),
    NeitherClockNorWorker(),
    OneClockMore(),
    DatabaseCut(),
    SlowReaders(),
)
