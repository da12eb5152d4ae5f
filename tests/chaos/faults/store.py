"""Valkey freezes, disconnects its clients, loses data, runs out of memory, or rewrites its file."""

from dataclasses import dataclass
from random import Random

from tests.chaos.faults import Fault, Span, hold
from tests.chaos.target import Target
from tests.deploy.processes import wait_until

REWRITTEN_WITHIN_S = 60
FULL_S: Span = (3.0, 6.0)


@dataclass(frozen=True)
class ValkeyFrozen:
    """SIGSTOP for this many seconds, then SIGCONT."""

    name: str
    seconds: float

    def inject(self, target: Target, rng: Random) -> None:
        group = target.pause("valkey")
        try:
            hold((self.seconds, self.seconds), rng)
        finally:
            target.resume(group)


@dataclass(frozen=True)
class ClientsKilled:
    """Valkey ends the connections of these kinds; `pubsub` are the gateways' subscriptions."""

    name: str
    kinds: tuple[str, ...]

    def inject(self, target: Target, rng: Random) -> None:
        with target.box() as redis:
            for kind in self.kinds:
                redis.execute_command("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes")  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class ValkeyFlushed:
    """All boxes are lost, and with them presence and the task queue."""

    name: str = "Valkey data lost (FLUSHALL)"

    def inject(self, target: Target, rng: Random) -> None:
        with target.box() as redis:
            redis.flushall()


@dataclass(frozen=True)
class ScriptsFlushed:
    name: str = "Valkey scripts lost (SCRIPT FLUSH)"

    def inject(self, target: Target, rng: Random) -> None:
        with target.box() as redis:
            redis.script_flush()


@dataclass(frozen=True)
class ValkeyFull:
    """Nothing more can be written (maxmemory, noeviction) for a while."""

    name: str = "Valkey memory full"

    def inject(self, target: Target, rng: Random) -> None:
        with target.box() as redis:
            redis.config_set("maxmemory", "1mb")
            try:
                hold(FULL_S, rng)
            finally:
                redis.config_set("maxmemory", "0")


@dataclass(frozen=True)
class AofRewritten:
    """BGREWRITEAOF, which Valkey also runs by itself: it forks a child and replaces the file."""

    name: str = "Valkey file rewritten (BGREWRITEAOF)"

    def inject(self, target: Target, rng: Random) -> None:
        with target.box() as redis:
            redis.bgrewriteaof()
            wait_until(lambda: not redis.info("persistence")["aof_rewrite_in_progress"], REWRITTEN_WITHIN_S)


FAULTS: tuple[Fault, ...] = (
    ValkeyFrozen("Valkey frozen for 1 s", 1),
    ValkeyFrozen("Valkey frozen for 5 s", 5),
    ValkeyFrozen("Valkey frozen for 45 s", 45),
    ClientsKilled("all Valkey clients disconnected (CLIENT KILL)", ("normal", "pubsub")),
    ClientsKilled("gateway subscriptions disconnected (CLIENT KILL)", ("pubsub",)),
    ValkeyFlushed(),
    ScriptsFlushed(),
    ValkeyFull(),
    AofRewritten(),
)
