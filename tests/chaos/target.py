"""The target of a campaign: a running stack whose worker and schedulers can be killed at given steps.

`tests.chaos.faulty` defines these steps. Faults call `kill`, `pause` and `resume` on a part ("worker",
"valkey", or one of `gateways` or `schedulers`). All processes reach Valkey through `proxy`; `valkey` is its
direct URL. `Clocks` need a C compiler, which `make chaos` installs.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from redis import Redis

from crowdgame.server.laptop import stack as children
from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.stack import MANAGE, Stack
from crowdgame.server.laptop.startup import reset_metrics_dir, wait_for_pages
from crowdgame.server.laptop.supervisor import Child, Supervisor
from tests.chaos.proxy import Proxy
from tests.deploy.processes import answers, wait_until
from tests.machines.cluster import Cluster, running_cluster
from tests.server import Server, give_database, organizer
from tests.voting.sources.irc_server import IrcClient, ThreadedIrcServer, running_irc_server

BACK_WITHIN_S = 30
SOURCE = Path(__file__).with_name("settable_clock.c")
NO_COMPILER = "setting clocks needs a C compiler (cc): `make chaos` installs one"


@dataclass(frozen=True)
class Clocks:
    """A process with this `env` uses the clock offset in `file`, as if its machine's clock had been set.

    Only the time of day changes; CLOCK_MONOTONIC and sleeps do not.
    """

    file: Path

    def __post_init__(self) -> None:
        self.file.write_bytes(bytes(8))

    @property
    def env(self) -> Mapping[str, str]:
        library = self.file.with_name("settable_clock.so")
        if not library.exists():
            assert shutil.which("cc"), NO_COMPILER
            command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"]
            subprocess.run(command, check=True)
        return {"LD_PRELOAD": str(library), "CLOCK_FILE": str(self.file)}

    def shift(self, by_s: float) -> None:
        off_ms = int.from_bytes(self.file.read_bytes(), "little", signed=True) + round(by_s * 1000)
        with self.file.open("r+b") as file:
            file.write(off_ms.to_bytes(8, "little", signed=True))


@dataclass
class Target(Server):
    """`home` is the campaign's folder. `events`, with `id` and `code`, exist before the first fault.

    `box_clock` is Valkey's clock, `own_clocks` that of all other processes; None if they cannot be set.
    `logged` is the length of a part's log at its last exit. `readers` are the chat readers' connections to
    `chat`, and `chat_votes` records of a journal.
    """

    home: Path
    proxy: Proxy
    valkey: str
    box_clock: Clocks | None
    own_clocks: Clocks | None
    logged: dict[str, int]
    chat: ThreadedIrcServer
    readers: Sequence[IrcClient]
    cluster: Cluster | None = None
    shards: int = 1
    chat_votes: list[list[Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    @contextmanager
    def box(self) -> Iterator[Redis]:
        """A direct connection to Valkey, without the proxy."""
        with Redis.from_url(self.valkey) as redis:
            yield redis

    def pid(self, part: str) -> int:
        """The id of the current process; waits while the part restarts."""
        wait_until(lambda: self.supervisor.pid(part), BACK_WITHIN_S)
        return self.supervisor.pid(part) or 0

    def kill(self, part: str, number: signal.Signals = signal.SIGKILL) -> None:
        """End a part with all its processes and wait until it has restarted."""
        pid = self.pid(part)
        with suppress(ProcessLookupError):
            os.killpg(pid, number)
        wait_until(lambda: self.supervisor.pid(part) not in {None, pid}, BACK_WITHIN_S)

    def is_up(self) -> bool:
        """Whether worker and schedulers have (re)started, which takes a while."""
        messages = {"worker": "worker started", "chatreader": "chat reader started"}
        messages |= dict.fromkeys(self.stack.scheduler_names, "scheduler started")
        return all(text in self._log(part)[self.logged.get(part, 0) :] for part, text in messages.items())

    def _log(self, part: str) -> str:
        return (self.home / "logs" / f"{part}.log").read_text(errors="replace")

    def pause(self, part: str) -> int:
        """SIGSTOP the part; return its process group for `resume`."""
        pid = self.pid(part)
        os.killpg(pid, signal.SIGSTOP)
        return pid

    def resume(self, group: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGCONT)


@contextmanager
def running_target(
    home: Path,
    *,
    timed: bool = False,
    disk: Path | None = None,
    shards: int = 1,
    mutant: str = "",
    large_turn: int = 0,
    **options: Any,
) -> Iterator[Target]:
    """Run the stack only, without events or phones.

    `timed`: clocks can be set; `disk`: a separate folder for the data, if any. With several `shards`, the
    ballot box is a cluster. `mutant` is the safeguard to remove. Turns with `large_turn` ballots are prepared
    before their deadline; 0 keeps the product's own number. `options` are other fields of Stack.
    """
    own = Stack(disk or home, "of the tests", free_port(), valkey_port=free_port(), **options)
    box_clock, own_clocks = (Clocks(home / name) if timed else None for name in ("box.time", "own.time"))
    env = {"CHAOS_MUTANT": mutant, "CHAOS_LARGE_TURN": str(large_turn), "MAX_SHARDS": str(shards)}
    logged: dict[str, int] = {}
    with ExitStack() as held:
        proxy = held.enter_context(Proxy(own.valkey_port))  # closed last, after all its clients
        cluster = held.enter_context(running_cluster(home / "nodes")) if shards > 1 else None
        own = replace(own, box_url=cluster.url if cluster else "")
        supervisor = held.enter_context(Supervisor(home / "logs", partial(_note, home, logged)))
        supervisor.start(replace(children.valkey(own), env=_timed({}, box_clock)))
        wait_until(lambda: answers(own.redis))
        give_database(own)
        stack = replace(own, redis_url=f"redis://{LOOPBACK}:{proxy.port}/0")
        reset_metrics_dir(stack.metrics_dir)
        chat = held.enter_context(running_irc_server())
        readers = held.enter_context(chat.keeping_readers())
        supervisor.start(*_parts(stack, _timed({**env, "TWITCH_CHAT_URL": chat.url}, own_clocks)))
        wait_for_pages(stack, supervisor)
        asked = held.enter_context(organizer(own, shards))
        running, clocks = (stack, supervisor, asked), (box_clock, own_clocks)
        yield Target(*running, home, proxy, own.redis, *clocks, logged, chat, readers, cluster, shards)


def _note(home: Path, logged: dict[str, int], line: str) -> None:
    """Note the log's length when a child exits. The supervisor's message starts with the child's name."""
    part = line.split(maxsplit=1)[0]
    logged[part] = len((home / "logs" / f"{part}.log").read_text(errors="replace"))


def _timed(env: dict[str, str], clock: Clocks | None) -> dict[str, str]:
    return {**env, **clock.env} if clock else env


def _parts(stack: Stack, env: Mapping[str, str]) -> Iterator[Child]:
    """With a mutant the gateways run under `tests.chaos.faulty`, too. Only the chat reader reads chats."""
    gateways = [children.gateway(stack, number) for number in range(1, stack.gateways + 1)]
    schedulers = [replace(one, argv=[*MANAGE, "scheduler"]) for one in children.schedulers(stack)]
    faulty = [children.worker(stack), *schedulers]
    plain, faulty = ([], gateways + faulty) if env["CHAOS_MUTANT"] else (gateways, faulty)
    plain.append(Child("chatreader", [*MANAGE, "chatreader"], stack.env))
    for child in (*plain, *faulty):
        argv = child.argv
        if child in faulty:
            argv = [sys.executable, "-m", "tests.chaos.faulty", *argv[2 if argv[1] == "-m" else 1 :]]
        yield replace(child, argv=argv, env={**child.env, **env})
