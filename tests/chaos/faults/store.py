"""Valkey freezes, disconnects its clients, loses data, runs out of memory, or rewrites its file."""

import os
import signal
from random import Random

from tests.chaos.faults import Fault, Inject, Span, hold
from tests.chaos.target import Target
from tests.deploy.processes import wait_until

FULL_S: Span = (3.0, 6.0)


def freeze(seconds: float) -> Inject:
    def inject(target: Target, rng: Random) -> None:
        group = target.pause("valkey")
        try:
            hold((seconds, seconds), rng)
        finally:
            target.resume(group)

    return inject


def kill_clients(*kinds: str) -> Inject:
    """Valkey ends the connections of these kinds; `pubsub` are the gateways' subscriptions."""

    def inject(target: Target, rng: Random) -> None:
        with target.box() as redis:
            for kind in kinds:
                redis.execute_command("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes")  # type: ignore[no-untyped-call]

    return inject


def flush_data(target: Target, rng: Random) -> None:
    """All boxes are lost, and with them presence and the task queue."""
    with target.box() as redis:
        redis.flushall()


def flush_after_gateways(target: Target, rng: Random) -> None:
    """All gateways are killed, so that no process remembers the ballots that are then lost."""
    for pid in [target.pid(name) for name in target.stack.gateway_names]:
        os.killpg(pid, signal.SIGKILL)
    flush_data(target, rng)


def flush_after_gateways_then_freeze(target: Target, rng: Random) -> None:
    """Valkey freezes while the phones come back."""
    flush_after_gateways(target, rng)
    hold((2.0, 6.0), rng)
    freeze(5)(target, rng)


def flush_scripts(target: Target, rng: Random) -> None:
    with target.box() as redis:
        redis.script_flush()


def fill_memory(target: Target, rng: Random) -> None:
    with target.box() as redis:
        redis.config_set("maxmemory", "1mb")
        try:
            hold(FULL_S, rng)
        finally:
            redis.config_set("maxmemory", "0")


def rewrite_file(target: Target, rng: Random) -> None:
    """BGREWRITEAOF, which Valkey also runs by itself: it forks a child and replaces the file."""
    with target.box() as redis:
        redis.bgrewriteaof()
        wait_until(lambda: not redis.info("persistence")["aof_rewrite_in_progress"], 60)


FAULTS = (
    *(Fault(f"Valkey frozen for {seconds} s", freeze(seconds)) for seconds in (1, 5, 45)),
    Fault("all Valkey clients disconnected (CLIENT KILL)", kill_clients("normal", "pubsub")),
    Fault("gateway subscriptions disconnected (CLIENT KILL)", kill_clients("pubsub")),
    Fault("Valkey data lost (FLUSHALL)", flush_data),
    Fault("gateways killed and Valkey data lost", flush_after_gateways),
    Fault("gateways killed and Valkey data lost then frozen", flush_after_gateways_then_freeze),
    Fault("Valkey scripts lost (SCRIPT FLUSH)", flush_scripts),
    Fault("Valkey memory full", fill_memory),
    Fault("Valkey file rewritten (BGREWRITEAOF)", rewrite_file),
)
