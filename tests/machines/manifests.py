"""Parse `deploy/` and `compose.yaml` into a common form: the processes that they start."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from configparser import RawConfigParser
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from crowdgame.server.config.environment import SECTIONS
from crowdgame.server.laptop.paths import ROOT

KUBERNETES = ROOT / "deploy" / "kubernetes"
SERVER = ROOT / "deploy" / "server"
UNITS = SERVER / "systemd"
RELEASE = "/opt/crowdgame/current"


@dataclass(frozen=True)
class Process:
    """A process that a manifest starts; `ends_within_s` is its stop timeout."""

    where: str
    name: str
    argv: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    ends_within_s: float = 0.0

    @property
    def role(self) -> str:
        """`gateway`, `scheduler` …, whatever the service is named; of a Celery worker, its queue."""
        words = " ".join(self.argv).replace("=", " ").split()
        if "--queues" in words:
            return words[words.index("--queues") + 1]
        return self.argv[1] if self.argv[0] == "crowdgame" else Path(self.argv[0]).name

    def option(self, name: str) -> str:
        return self.argv[self.argv.index(name) + 1]


class Unit(RawConfigParser):
    """A systemd unit, in which a directive may be repeated."""

    def __init__(self, path: Path) -> None:
        super().__init__(strict=False, delimiters=("=",), interpolation=None, comment_prefixes=("#", ";"))
        self.lines = path.read_text().splitlines()
        self.commands = self._all("ExecStart=")
        self.environment = " ".join(self._all("Environment=")).split()
        self.read(path)

    def _all(self, directive: str) -> list[str]:
        return [line.removeprefix(directive) for line in self.lines if line.startswith(directive)]

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def units() -> dict[str, Unit]:
    return {path.name: Unit(path) for path in sorted(UNITS.iterdir()) if path.is_file()}


def systemd_processes() -> Iterator[Process]:
    """The systemd services; the `%i` of template units is kept."""
    settings = env_file(SERVER / "crowdgame.env.example")
    shared = Unit(UNITS / "crowdgame-.service.d" / "common.conf")
    for name, unit in units().items():
        env = dict(word.split("=", 1) for word in shared.environment + unit.environment)
        ends = float(unit.get("Service", "TimeoutStopSec", fallback="90"))
        for command in unit.commands:
            argv = tuple(shlex.split(command.replace(f"{RELEASE}/.venv/bin/", "").replace("%%", "%")))
            yield Process(name, name.removesuffix(".service"), argv, settings | env, ends)


def env_file(path: Path) -> dict[str, str]:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def run_install(etc: Path, calls: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Call functions of install.sh with `etc` as /etc/crowdgame, without PostgreSQL and systemd."""
    functions, _, _ = (SERVER / "install.sh").read_text().partition("\ncheck_folder\n")
    here = 'cd "$(dirname "$(readlink -f "$0")")/../.."'
    script = functions.replace(here, f"cd {ROOT}").replace("/etc/crowdgame", str(etc))
    script = script.replace("/etc/systemd/system", f"{etc}/units").replace("/etc/sysctl.d", str(etc))
    script = script.replace("/var/backups/crowdgame", f"{etc}/backups")
    script += f"\nchown() {{ :; }}\nshare_database() {{ :; }}\n{calls}\n"
    argv = ["sh", "-c", script, "install.sh", "play.example.org", *arguments]
    return subprocess.run(argv, check=False, capture_output=True, text=True)


def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "compose.yaml").read_text()))


def compose_processes() -> Iterator[Process]:
    """The services of our image and Valkey; nginx and PostgreSQL use their images' commands."""
    for name, service in compose()["services"].items():
        if "command" in service:
            ends = float(service.get("stop_grace_period", "10s").removesuffix("s"))
            env = service.get("environment", {})
            yield Process("compose.yaml", name, tuple(service["command"]), env, ends)


def manifests() -> list[tuple[str, dict[str, Any]]]:
    """All Kubernetes objects with their file names, without files for other tools."""
    paths = [path for path in sorted(KUBERNETES.glob("*.yaml")) if path.name not in OTHER_TOOLS]
    return [(path.name, made) for path in paths for made in yaml.safe_load_all(path.read_text())]


OTHER_TOOLS = {"kustomization.yaml", "prometheus-adapter.example.yaml", "monitoring.example.yaml"}


def objects(kind: str) -> dict[str, Any]:
    return {made["metadata"]["name"]: made for _, made in manifests() if made["kind"] == kind}


def pods() -> dict[str, Any]:
    workloads = objects("Deployment") | objects("Job")
    return {name: made["spec"]["template"]["spec"] for name, made in workloads.items()}


def kubernetes_processes() -> Iterator[Process]:
    shared = objects("ConfigMap")["crowdgame"]["data"] | objects("Secret")["crowdgame"]["stringData"]
    for name, pod in pods().items():
        for container in pod["containers"]:
            own = {one["name"]: one["value"] for one in container.get("env", [])}
            stopping = container.get("lifecycle", {}).get("preStop", {}).get("exec", {})
            _, before_s = stopping.get("command", ["sleep", "0"])
            ends = float(pod.get("terminationGracePeriodSeconds", 30)) - float(before_s)
            yield Process("kubernetes", name, tuple(container["command"]), shared | own, ends)


def settings_read() -> set[str]:
    sections = "|".join(section.__name__ for section in SECTIONS)
    names = re.compile(rf"""(?:environ(?:\.get)?[\[(]\s*["']|\b(?:{sections})\.)([A-Z_]+)""")
    sources = [
        path
        for package in ("crowdgame", "voting", "games")
        for path in (ROOT / package).rglob("*.py")
        if path.parent.name != "laptop"
    ]
    return {name for path in sources for name in names.findall(path.read_text())}
