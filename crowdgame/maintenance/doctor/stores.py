"""Durability, limits and access of Valkey, the encoding of PostgreSQL, and the clocks of both."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from redis import ConnectionPool, Redis, RedisCluster
from redis.exceptions import RedisError, ResponseError

from crowdgame.maintenance.doctor.finding import Finding, not_visible
from voting.ballot_box.stores import connect

MAX_CLOCK_OFFSET_S = 1.0
MAX_NODE_OFFSET_S = 0.02  # a node whose clock is behind accepts ballots for longer
CLOCK_READINGS = 5
NEARLY_FULL = 0.8
CONFIG = ("appendfsync", "save")


def check_stores() -> Iterator[Finding]:
    """Check the ballot box, and the store of the channel layer and Celery if it is another one."""
    for url in dict.fromkeys((settings.BALLOT_BOX_URL, settings.REDIS_URL)):
        for name, store in _nodes(url):
            with closing(store):
                info = store.info()
                if url == settings.BALLOT_BOX_URL:
                    yield from _durability(name, info, _config(store, info))
                yield from _limits(name, info)
                yield from _access(name, store)


def check_database() -> Iterator[Finding]:
    if connection.vendor == "postgresql":
        yield from encoding_findings(str(_ask_database("SHOW server_encoding")))


def encoding_findings(encoding: str) -> Iterator[Finding]:
    if encoding != "UTF8":
        yield Finding(
            f"the encoding of the database is {encoding}",
            "Make a backup, recreate the database with `createdb --template template0 --encoding UTF8`, "
            "and restore the backup.",
        )


def check_clocks() -> Iterator[Finding]:
    """Compare the clocks of the ballot box and of PostgreSQL with this machine's."""
    offsets: dict[str, float] = {}
    for name, store in _nodes(settings.BALLOT_BOX_URL):
        with closing(store):
            offsets[name] = _offset_s(partial(_node_time_s, store))
            yield from clock_findings(name, offsets[name])
    yield from node_findings(offsets)
    if connection.vendor == "postgresql":
        yield from clock_findings("the database", _offset_s(_database_time_s))


def clock_findings(name: str, offset_s: float) -> Iterator[Finding]:
    if abs(offset_s) > MAX_CLOCK_OFFSET_S:
        problem = f"the clock of {name} differs by {offset_s:+.1f} s from this machine's"
        yield Finding(problem, "Run NTP (chrony or systemd-timesyncd) on both.")


def node_findings(offsets: Mapping[str, float]) -> Iterator[Finding]:
    """Compare the clocks of the nodes of a cluster, by their offsets from this machine's clock."""
    slow, fast = (choose(offsets, key=offsets.__getitem__) for choose in (min, max))
    apart_s = offsets[fast] - offsets[slow]
    if apart_s > MAX_NODE_OFFSET_S:
        problem = f"the clocks of {slow} and {fast} differ by {apart_s * 1000:.0f} ms"
        yield Finding(problem, "Run NTP (chrony) on all nodes: an event with several shards uses them all.")


def _nodes(url: str) -> Iterator[tuple[str, Redis]]:
    """Yield the address of each server with a client of its own."""
    store = connect(url)
    if isinstance(store, RedisCluster):
        for node in store.get_primaries():  # type: ignore[no-untyped-call]
            yield str(node.name), store.get_redis_connection(node)
    else:
        options = store.connection_pool.connection_kwargs
        yield options.get("path") or f"{options['host']}:{options['port']}", store


def _config(store: Redis, info: Mapping[str, Any]) -> Mapping[str, str]:
    """Return what is known of CONFIG: from the store, or from its configuration file on this machine."""
    try:
        return store.config_get(*CONFIG)  # type: ignore[return-value]
    except ResponseError:
        path = Path(str(info.get("config_file") or "/dev/null"))
    try:
        lines = [line.split(maxsplit=1) for line in path.read_text().splitlines()]
    except OSError:
        return {}
    return {line[0]: line[1].strip('"') for line in lines if len(line) == len(CONFIG) and line[0] in CONFIG}


def _durability(name: str, info: Mapping[str, Any], config: Mapping[str, str]) -> Iterator[Finding]:
    fsync = "Set `appendfsync always`, or acknowledged ballots may be lost in a power failure."
    if not info["aof_enabled"]:
        yield Finding(
            f"{name}: appendonly is no",
            "Set `appendonly yes`, or acknowledged ballots are lost when the store restarts.",
        )
    elif info["aof_last_write_status"] != "ok":
        yield Finding(f"{name}: the last write to disk failed", "Check the disk of the store and its log.")
    if "appendfsync" not in config:
        yield not_visible(f"{name}: appendfsync and save are not visible to this user", fsync)
    elif info["aof_enabled"] and config["appendfsync"] != "always":
        yield Finding(f"{name}: appendfsync is {config['appendfsync']}", fsync)
    if config.get("save"):
        yield Finding(
            f"{name}: save is {config['save']}",
            'Set `save ""`: the append-only file is enough, and each snapshot delays ballots.',
        )


def _limits(name: str, info: Mapping[str, Any]) -> Iterator[Finding]:
    if info["maxmemory_policy"] != "noeviction":
        yield Finding(
            f"{name}: maxmemory-policy is {info['maxmemory_policy']}",
            "Set `maxmemory-policy noeviction`, or ballots and tasks are deleted when memory is full.",
        )
    if info["maxmemory"] and info["used_memory"] > NEARLY_FULL * info["maxmemory"]:
        yield Finding(f"{name}: memory is nearly full", "Raise `maxmemory`.")
    if info["connected_clients"] > NEARLY_FULL * info["maxclients"]:
        yield Finding(f"{name}: {info['connected_clients']} clients are connected", "Raise `maxclients`.")


def _access(name: str, store: Redis) -> Iterator[Finding]:
    """Try to connect without a password. On the loopback interface, only this machine's users can."""
    pool = store.connection_pool
    anonymous = dict(pool.connection_kwargs)
    for secret in ("username", "password"):
        anonymous.pop(secret, None)
    if is_local(str(anonymous.get("host", "localhost"))):
        return
    with Redis(connection_pool=ConnectionPool(pool.connection_class, **anonymous)) as client:
        try:
            client.ping()
        except RedisError:
            return
    yield Finding(
        f"{name}: clients need no password",
        "Use the ACL in deploy/server/valkey.acl, and name its user in REDIS_URL and BALLOT_BOX_URL.",
    )


def is_local(host: str) -> bool:
    """Whether `host` is a loopback address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _offset_s(read: Callable[[], float]) -> float:
    """Return the offset of the fastest of CLOCK_READINGS replies, which is the most exact."""
    readings = []
    for _ in range(CLOCK_READINGS):
        before, there, after = time.time(), read(), time.time()
        readings.append((after - before, there - (before + after) / 2))
    return min(readings)[1]


def _node_time_s(node: Redis) -> float:
    seconds, microseconds = node.time()
    return float(seconds + microseconds / 1e6)


def _database_time_s() -> float:
    return float(_ask_database("SELECT extract(epoch FROM clock_timestamp())"))


def _ask_database(sql: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]
