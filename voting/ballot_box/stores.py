"""The store that ballots are kept in: one server, or a cluster of them. And when the database is away.

No client makes a call again by itself: whoever calls is told of a frozen node, and may ask again,
since every script is idempotent. All trouble is a redis.RedisError.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.db import InterfaceError, InternalError, OperationalError
from redis import Redis, RedisCluster, RedisError
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio import RedisCluster as AsyncRedisCluster
from redis.asyncio.cluster import ClusterNode as AsyncClusterNode
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import NoScriptError, RedisClusterException
from redis.retry import Retry

CLUSTER_SCHEME = "redis+cluster"
CLUSTER_TLS_SCHEME = "rediss+cluster"
MAX_CONNECTIONS = 1_000  # of a gateway with as many rooms; redis-py has 100

# A lost connection is an InterfaceError; a server that may only be read or gave up on us, an InternalError.
DATABASE_ERRORS = (OperationalError, InterfaceError, InternalError)


class Cluster(RedisCluster):
    """Events on nodes that answer are served while another node is away.

    `time_source` is the node that told the time last.
    """

    time_source = ""

    def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        with _as_redis_error():
            return super().execute_command(*args, **kwargs)  # type: ignore[no-untyped-call]

    def time(self, **_: Any) -> Any:
        """The time of the first node that answers, the same one for everybody who asks."""
        error: RedisError = NoConnection("the cluster has no nodes")
        for node in _sorted_nodes(self.get_primaries()):  # type: ignore[no-untyped-call]
            try:
                answer = self.execute_command("TIME", target_nodes=node)
            except RedisError as failure:
                error = failure
            else:
                self.time_source = str(node.name)
                return answer
        raise error

    def register_script(self, script: Any) -> Any:
        """Not redis-py's, which loads a script that one node does not know into all nodes."""

        def run(keys: Iterable[Any], args: Iterable[Any]) -> Any:
            keys = tuple(keys)
            try:
                return self.evalsha(known.sha, len(keys), *keys, *args)
            except NoScriptError:
                return self.eval(script, len(keys), *keys, *args)

        known = super().register_script(script)
        return run


class FirstKeyParser:
    """Says which keys a command names: of those we use (scripts aside, which redis-py knows) the first.

    redis-py's own asks one node for all its commands whenever it looks for the nodes, and fails with it.
    """

    async def initialize(self, node: Any = None) -> None:
        pass

    async def get_keys(self, *command: Any) -> tuple[Any, ...]:
        return command[1:2]


class AsyncCluster(AsyncRedisCluster):
    """See Cluster."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands_parser = FirstKeyParser()  # type: ignore[assignment]

    async def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        try:
            with _as_redis_error():
                await self.initialize()  # before it knows the nodes redis-py would ask any of them
                return await super().execute_command(*args, **kwargs)
        except ClusterUnavailable:
            await self.aclose()  # so that the next call asks which node has which slots
            raise

    async def time(self, **_: Any) -> Any:
        """See Cluster."""
        with _as_redis_error():
            await self.initialize()
        error: RedisError = NoConnection("the cluster has no nodes")
        for node in _sorted_nodes(self.get_primaries()):
            try:
                return await self.execute_command("TIME", target_nodes=node)
            except RedisError as failure:
                error = failure
        raise error

    def register_script(self, script: Any) -> Any:
        """See Cluster."""

        async def run(keys: Iterable[Any], args: Iterable[Any]) -> Any:
            keys = tuple(keys)
            try:
                return await self.evalsha(known.sha, len(keys), *keys, *args)
            except NoScriptError:
                return await self.eval(script, len(keys), *keys, *args)

        known = super().register_script(script)
        return run


class ClusterUnavailable(NoConnection):
    """No node is known for a key, or none at all answers."""


def connect(url: str) -> Any:
    """A client of the store at `url`; with a cluster's it asks for the nodes. Raises redis.RedisError."""
    if not _is_cluster(url):
        return Redis.from_url(url, retry=Retry(NoBackoff(), 0), **_timeouts())
    nodes = [ClusterNode(*place) for place in _nodes(url)]  # type: ignore[no-untyped-call]
    with _as_redis_error():
        cluster = Cluster(startup_nodes=nodes, retry=Retry(NoBackoff(), len(nodes)), **_cluster_options(url))
    cluster.retry = Retry(NoBackoff(), 0)  # only to get to know the nodes it may ask another one
    return cluster


def connect_async(url: str) -> Any:
    """The same for an event loop; nothing is asked yet."""
    if not _is_cluster(url):
        options = {"max_connections": MAX_CONNECTIONS, "retry": AsyncRetry(NoBackoff(), 0), **_timeouts()}
        return AsyncRedis.from_url(url, **options)
    nodes = [AsyncClusterNode(host, port) for host, port in _nodes(url)]
    return AsyncCluster(startup_nodes=nodes, retry=AsyncRetry(NoBackoff(), 0), **_cluster_options(url))


def execute_all(store: Redis | RedisCluster, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """An answer a command, or the trouble in its place; of a cluster None from the first trouble on.

    Raises redis.RedisError where the one server is away.
    """
    if isinstance(store, Redis):
        pipeline = store.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)  # type: ignore[no-untyped-call]
        return pipeline.execute(raise_on_error=False)
    answers = []
    with suppress(RedisError):
        for command in commands:
            answers.append(store.execute_command(*command))  # type: ignore[no-untyped-call]  # noqa: PERF401
    return answers + [None] * (len(commands) - len(answers))


def _is_cluster(url: str) -> bool:
    return urlsplit(url).scheme in {CLUSTER_SCHEME, CLUSTER_TLS_SCHEME}


def _nodes(url: str) -> list[tuple[str, int]]:
    """Of redis+cluster://user:password@host:port,host:port"""
    places = urlsplit(url).netloc.rpartition("@")[2].split(",")
    named = [urlsplit(f"//{place}") for place in places]
    return [(place.hostname or "", place.port or 6379) for place in named]


def _cluster_options(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    return {
        "username": unquote(user) or None,
        "password": unquote(password) or None,
        "ssl": parts.scheme == CLUSTER_TLS_SCHEME,
        "require_full_coverage": False,
        **_timeouts(),
    }


def _timeouts() -> dict[str, Any]:
    return {
        "socket_timeout": settings.REDIS_TIMEOUT_S,
        "socket_connect_timeout": settings.REDIS_TIMEOUT_S,
    }


def _sorted_nodes(nodes: Iterable[Any]) -> list[Any]:
    return sorted(nodes, key=lambda node: str(node.name))


@contextmanager
def _as_redis_error() -> Iterator[None]:
    """redis-py has exceptions for clusters that are no RedisError, and a KeyError for a lost slot."""
    try:
        yield
    except (RedisClusterException, KeyError) as error:
        raise ClusterUnavailable(f"the cluster does not answer: {error}") from error
