"""Pitfalls of third-party libraries that other tests would not notice."""

import ast
import asyncio
import re
from urllib.parse import urlsplit

import pytest
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import connection
from redis import Redis, RedisError

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.laptop.paths import ROOT
from tests.chaos.proxy import Impairment, Proxy
from voting.announcements.channel_layer import LayerMessage, Subscription, publish
from voting.ballot_box.stores import connect_async

CODE = [path for package in ("voting", "crowdgame", "games") for path in (ROOT / package).rglob("*.py")]
# These calls block while Redis is frozen.
BLOCKING = {
    *("enqueue_close", "enqueue_early_close", "send_task", "delay", "apply_async"),
    *("publish", "relay", "place_and_relay", "close_turn", "restore_turn", "start_match"),
}
PITFALLS = r"BlockingConnectionPool|\beta=|countdown=|acks_late=True|RedisChannelLayer\("


def calls_on_a_loop(tree: ast.AST) -> set[str]:
    coroutines = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)]
    calls = [call.func for node in coroutines for call in ast.walk(node) if isinstance(call, ast.Call)]
    return {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}


def test_source_avoids_known_redis_and_celery_pitfalls() -> None:
    for path in CODE:
        text = path.read_text()
        assert re.findall(PITFALLS, text) == [], path
        if "async def" in text:
            assert calls_on_a_loop(ast.parse(text)) & BLOCKING == set(), path
    assert not settings.CELERY_TASK_ACKS_LATE, "after a restart of Redis, workers would repeat tasks"


@pytest.mark.django_db
def test_sqlite_is_durable_and_its_transactions_lock_at_once() -> None:
    """A deferred transaction that reads and then writes fails if another one wrote in between."""
    with connection.cursor() as cursor:
        pragmas = [cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    assert (pragmas, connection.settings_dict["OPTIONS"]["transaction_mode"]) == (["wal", 2], "IMMEDIATE")


@pytest.mark.nightly
async def test_subscription_receives_after_long_idle_period(valkey_url: str) -> None:
    """The default read timeout of redis-py is five seconds."""
    subscription, sent = Subscription(), LayerMessage(4711, 1, b"{}")
    await subscription.join(4711)
    received = asyncio.ensure_future(anext(subscription.copies()))
    await asyncio.sleep(6.0)
    assert not received.done()
    await asyncio.to_thread(publish, [sent])
    assert await asyncio.wait_for(received, 15) == sent
    await get_channel_layer().flush()


async def test_async_redis_client_does_not_retry(valkey_url: str) -> None:
    with Proxy(urlsplit(valkey_url).port or 0) as proxy, Redis.from_url(valkey_url) as direct:
        redis = connect_async(f"redis://{LOOPBACK}:{proxy.port}/0")
        try:
            await redis.ping()
            proxy.impairment = Impairment(lost_reply=b"traps")
            with pytest.raises(RedisError):
                await redis.incr("traps")
        finally:
            await redis.aclose()
        assert direct.get("traps") == b"1"
