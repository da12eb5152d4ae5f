"""Read a running stack's health, metrics and logs from outside."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from typing import Any

import psutil
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from crowdgame.server.laptop.paths import ROOT
from tests.deploy.processes import wait_until
from tests.server import Server
from voting.metrics.metrics import REGISTRY, RefusalKind

TIMEOUT_S = 60  # a gateway imports the code of all pages at the first request


def records(server: Server, name: str) -> list[dict[str, Any]]:
    """A process's log records; every line must be JSON."""
    return [json.loads(line) for line in server.log(name).splitlines()]


@contextmanager
def paused(server: Server, *parts: str) -> Iterator[None]:
    """Pause these processes while none of them holds a database lock."""
    processes = [psutil.Process(pid) for part in parts if (pid := server.supervisor.pid(part))]
    wait_until(lambda: _pause(server, processes), TIMEOUT_S)
    try:
        yield
    finally:
        for process in processes:
            process.resume()


def _pause(server: Server, processes: list[psutil.Process]) -> bool:
    """Pause the processes; resume them and return False if one is inside a transaction."""
    for process in processes:
        process.suspend()
    wait_until(lambda: all(process.status() == psutil.STATUS_STOPPED for process in processes))
    if server.is_writable():
        return True
    for process in processes:
        process.resume()
    return False


@dataclass(frozen=True)
class HttpReply:
    status: int
    body: bytes
    headers: HTTPMessage

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(
    server: Server, path: str, headers: Mapping[str, str] | None = None, method: str = "GET", body: str = ""
) -> HttpReply:
    connection = HTTPConnection(server.stack.address, server.stack.port, timeout=TIMEOUT_S)
    with closing(connection):
        connection.request(method, path, body or None, headers or {})
        response = connection.getresponse()
        return HttpReply(response.status, response.read(), response.headers)


def run_script(script: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a Python script in a process that has no database and shares no metrics."""
    inherited = {name: value for name, value in os.environ.items() if name != "PROMETHEUS_MULTIPROC_DIR"}
    env = {**inherited, "DJANGO_SETTINGS_MODULE": "crowdgame.settings", **env}
    argv = [sys.executable, "-c", script]
    return subprocess.run(argv, env=env, cwd=ROOT, capture_output=True, text=True, check=False)


def samples(text: str) -> list[Sample]:
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


def metric_samples(server: Server) -> list[Sample]:
    reply = ask(server, "/metrics")
    assert reply.status == 200
    return samples(reply.body.decode())


def own_refusals(kind: RefusalKind) -> float:
    """How often this process has refused something of this kind."""
    return REGISTRY.get_sample_value("crowdgame_refusals_total", {"kind": kind}) or 0


def metric_value(server: Server, name: str, **labels: str) -> float:
    found = [s.value for s in metric_samples(server) if s.name == name and labels.items() <= s.labels.items()]
    assert found, f"there is no {name} {labels}"
    return sum(found)
