"""Periodic readings of a running stack and its crowd."""

import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from select import select
from typing import Any

import msgspec
import redis
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from tests.load.bench.machine import cpu_s, open_files, rss
from tests.load.bench.processes import processes
from tests.load.bench.soak_crowd import CrowdCounts
from tests.server import Server

Processes = Mapping[str, tuple[int, ...]]


class Reading(msgspec.Struct, frozen=True):
    """By process: resident KiB and open files now, CPU seconds since the previous reading.

    `ballots` and `broadcasts` (with their mean milliseconds) are also since the previous reading.
    """

    at_s: float
    rss_kib: dict[str, float]
    files: dict[str, int]
    cpu_s: dict[str, float]
    ballots: int
    broadcasts: int
    broadcast_ms: float
    valkey_kib: float
    valkey_keys: int
    database_kib: float
    crowd: CrowdCounts

    @property
    def gateway_kib(self) -> float:
        return _of_gateways(self.rss_kib)

    @property
    def scheduler_kib(self) -> float:
        return sum(kib for name, kib in self.rss_kib.items() if name.startswith("scheduler"))

    @property
    def gateway_us_per_ballot(self) -> float:
        return _of_gateways(self.cpu_s) / max(1, self.ballots) * 1e6

    @property
    def server_us_per_ballot(self) -> float:
        """CPU microseconds per ballot of all processes but the crowd."""
        return (sum(self.cpu_s.values()) - self.cpu_s["crowd"]) / max(1, self.ballots) * 1e6


def _of_gateways(by_process: Mapping[str, float]) -> float:
    return sum(value for name, value in by_process.items() if name.startswith("gateway"))


class Reader:
    """Reads once for each report of the crowd."""

    def __init__(self, server: Server, crowd: subprocess.Popen[bytes]) -> None:
        self._server = server
        self._crowd = crowd
        self._began = time.monotonic()
        self._parts: Processes = {**processes(server), "crowd": (crowd.pid,)}
        self._used = self._cpu()
        self._broadcasts_before = (0, 0.0)
        self._acknowledged = 0

    def readings(self, patience_s: float) -> Iterator[Reading]:
        """Yield readings until the crowd ends, or reports nothing for this long."""
        reports = self._crowd.stdout
        assert reports is not None
        while select([reports], [], [], patience_s)[0] and (line := reports.readline()):
            yield self._read(msgspec.json.decode(line, type=CrowdCounts))

    def _read(self, counts: CrowdCounts) -> Reading:
        before, self._used = self._used, self._cpu()
        broadcasts, broadcast_s = self._broadcasts()
        valkey_kib, valkey_keys = self._valkey()
        since = broadcasts - self._broadcasts_before[0]
        reading = Reading(
            at_s=round(time.monotonic() - self._began, 1),
            rss_kib={name: sum(map(rss, pids)) / 1024 for name, pids in self._parts.items()},
            files={name: sum(map(open_files, pids)) for name, pids in self._parts.items()},
            cpu_s={name: self._used[name] - before[name] for name in self._parts},
            ballots=counts.acknowledged - self._acknowledged,
            broadcasts=since,
            broadcast_ms=(broadcast_s - self._broadcasts_before[1]) / max(1, since) * 1000,
            crowd=counts,
            database_kib=_size(self._server.stack.data) / 1024,
            valkey_kib=valkey_kib,
            valkey_keys=valkey_keys,
        )
        self._broadcasts_before, self._acknowledged = (broadcasts, broadcast_s), counts.acknowledged
        return reading

    def _cpu(self) -> dict[str, float]:
        return {name: sum(map(cpu_s, pids)) for name, pids in self._parts.items()}

    def _broadcasts(self) -> tuple[int, float]:
        """The number of broadcasts of all gateways, and their total seconds."""
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=str(self._server.stack.metrics_dir))  # type: ignore[no-untyped-call]
        name = "crowdgame_broadcast_seconds"
        count, seconds = (registry.get_sample_value(f"{name}_{part}") or 0 for part in ("count", "sum"))
        return int(count), seconds

    def _valkey(self) -> tuple[float, int]:
        """Valkey's memory in KiB and its number of keys."""
        with redis.Redis.from_url(self._server.stack.redis) as client:
            memory: Any = client.info("memory")
            return memory["used_memory"] / 1024, int(client.dbsize())


def _size(data: Path) -> int:
    return sum(path.stat().st_size for path in data.glob("db.sqlite3*"))
