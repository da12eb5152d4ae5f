"""Redis clients for one server or a cluster, and the errors of a database that is away.

No client retries by itself: a frozen node is reported to the caller, who may retry because every script is
idempotent. All failures are redis.RedisError.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
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

LUA_DIR = Path(__file__).parent / "lua"
CLUSTER_SCHEME = "redis+cluster"
CLUSTER_TLS_SCHEME = "rediss+cluster"
MAX_CONNECTIONS = 1_000  # for a gateway with that many event rooms; redis-py's default is 100

# InterfaceError: the connection was lost. InternalError: the server is read-only or closed the session.
DATABASE_ERRORS = (OperationalError, InterfaceError, InternalError)
STORE_ERRORS = (RedisError, OSError, *DATABASE_ERRORS)


class Cluster(RedisCluster):
    """A cluster client that serves events on healthy nodes while another node is away.

    `time_source` is the node that returned the time last.
    """

    time_source = ""

    def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        """Execute a command. Raises redis.RedisError for every failure."""
        with _as_redis_error():
            return super().execute_command(*args, **kwargs)  # type: ignore[no-untyped-call]

    def time(self, **_: Any) -> Any:
        """Return the time of the first node that replies, in an order that is the same for all clients."""
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
        """Return a callable script. redis-py's own loads a script that one node lacks into all nodes."""

        def run(keys: Iterable[Any], args: Iterable[Any]) -> Any:
            keys = tuple(keys)
            try:
                return self.evalsha(known.sha, len(keys), *keys, *args)
            except NoScriptError:
                return self.eval(script, len(keys), *keys, *args)

        known = super().register_script(script)
        return run


class FirstKeyParser:
    """Names a command's first argument as its key.

    That holds for all commands used here; redis-py itself knows the keys of scripts. redis-py's parser asks
    one node for all its commands whenever it discovers nodes, and fails with that node.
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
        """Execute a command. After a failure of the cluster, the next call discovers its nodes again.

        Raises redis.RedisError for every failure.
        """
        try:
            with _as_redis_error():
                await self.initialize()  # without the list of nodes redis-py would ask any of them
                return await super().execute_command(*args, **kwargs)
        except ClusterUnavailable:
            await self.aclose()  # so that the next call discovers the slots again
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
    """No node is known for a key, or no node replies."""


def connect(url: str) -> Any:
    """Return a client for `url`; for a cluster, discover its nodes. Raises redis.RedisError."""
    if not _is_cluster(url):
        return Redis.from_url(url, retry=Retry(NoBackoff(), 0), **_timeouts())
    nodes = [ClusterNode(*place) for place in _nodes(url)]  # type: ignore[no-untyped-call]
    with _as_redis_error():
        cluster = Cluster(startup_nodes=nodes, retry=Retry(NoBackoff(), len(nodes)), **_cluster_options(url))
    cluster.retry = Retry(NoBackoff(), 0)  # only node discovery may try another node
    return cluster


def connect_async(url: str) -> Any:
    """Return an asyncio client for `url`, without connecting yet."""
    if not _is_cluster(url):
        options = {"max_connections": MAX_CONNECTIONS, "retry": AsyncRetry(NoBackoff(), 0), **_timeouts()}
        return AsyncRedis.from_url(url, **options)
    nodes = [AsyncClusterNode(host, port) for host, port in _nodes(url)]
    return AsyncCluster(startup_nodes=nodes, retry=AsyncRetry(NoBackoff(), 0), **_cluster_options(url))


def load_script(name: str) -> str:
    """Return the source of a script in `lua/`."""
    return (LUA_DIR / f"{name}.lua").read_text()


def execute_all(store: Redis | RedisCluster, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return a reply for each command, or the error in its place.

    In a cluster, the replies from the first error on are None. Raises redis.RedisError if a single server is
    away.
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


def run_all(store: Redis | RedisCluster, script: Any, calls: Sequence[tuple[Any, Any]]) -> list[Any]:
    """Run a registered script for each pair of keys and arguments. Replies and errors as in `execute_all`.

    A single call raises its error.
    """
    if len(calls) == 1:
        ((keys, args),) = calls
        return [script(keys=keys, args=args)]
    if isinstance(store, Redis):
        pipeline = store.pipeline(transaction=False)
        for keys, args in calls:
            script(keys=keys, args=args, client=pipeline)
        return pipeline.execute(raise_on_error=False)
    answers = []
    with suppress(RedisError):
        for keys, args in calls:
            answers.append(script(keys=keys, args=args))
    return answers + [None] * (len(calls) - len(answers))


def _is_cluster(url: str) -> bool:
    return urlsplit(url).scheme in {CLUSTER_SCHEME, CLUSTER_TLS_SCHEME}


def _nodes(url: str) -> list[tuple[str, int]]:
    """Parse the hosts of `redis+cluster://user:password@host:port,host:port`."""
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
    """Raise errors of the cluster client that redis-py does not derive from RedisError as such.

    A lost slot is a KeyError there. A connection that another call closes while this one uses it is an
    AttributeError or, with uvloop, a RuntimeError.
    """
    try:
        yield
    except (AttributeError, RuntimeError) as error:
        raise NoConnection(f"the connection was closed: {error}") from error
    except (RedisClusterException, KeyError) as error:
        raise ClusterUnavailable(f"the cluster does not answer: {error}") from error
