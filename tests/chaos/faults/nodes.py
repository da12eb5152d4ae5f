"""A node of the cluster with the ballot box is killed or frozen, or loses its data (`--shards`)."""

import signal
from random import Random

from tests.chaos.faults import Fault, Inject, NotApplicable, hold
from tests.chaos.target import BACK_WITHIN_S, Target
from tests.deploy.processes import wait_until
from tests.machines.cluster import PRIMARIES, Cluster


def _cluster(target: Target) -> Cluster:
    if target.cluster is None:
        raise NotApplicable("one server has the ballot box")
    return target.cluster


def kill_node(target: Target, rng: Random) -> None:
    """SIGKILL; the node starts again later, with what it wrote to disk."""
    cluster = _cluster(target)
    node = rng.choice(cluster.nodes)
    node.kill()
    hold((0.2, 3.0), rng)
    node.start()
    wait_until(cluster.is_whole, BACK_WITHIN_S)


def freeze_node(seconds: float) -> Inject:
    def inject(target: Target, rng: Random) -> None:
        cluster = _cluster(target)
        process = rng.choice(cluster.nodes).process
        assert process is not None
        process.send_signal(signal.SIGSTOP)
        try:
            hold((seconds, seconds), rng)
        finally:
            process.send_signal(signal.SIGCONT)
        wait_until(cluster.is_whole, BACK_WITHIN_S)

    return inject


def flush_nodes(count: int) -> Inject:
    """One shard of each event is lost, and presence of the events with their first shard there; or all."""

    def inject(target: Target, rng: Random) -> None:
        for node in rng.sample(_cluster(target).nodes, count):
            node.client.flushall()

    return inject


FAULTS = (
    Fault("node of the ballot box killed", kill_node),
    *(Fault(f"node of the ballot box frozen for {seconds} s", freeze_node(seconds)) for seconds in (1, 5)),
    Fault("node of the ballot box emptied (FLUSHALL)", flush_nodes(1)),
    Fault("all nodes of the ballot box emptied (FLUSHALL)", flush_nodes(PRIMARIES)),
)
