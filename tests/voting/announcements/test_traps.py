"""Traps of the libraries below us that no other test would notice until it is too late."""

import ast
import asyncio
import re
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import connection
from redis import Redis, RedisError

from deploy.laptop.network import LOOPBACK
from deploy.laptop.paths import ROOT
from tests.chaos.proxy import Impairment, Proxy
from voting.announcements.layer import Copy, Subscription, publish
from voting.ballot_box.stores import connect_async

CODE = [path for room in ("voting", "crowdgame", "games") for path in (ROOT / room).rglob("*.py")]
# They wait for Redis, for as long as it is frozen.
BLOCKING = {
    *("arm_close", "arm_early_close", "send_task", "delay", "apply_async"),
    *("publish", "relay", "place_and_relay", "close_turn", "restore_turn", "start_match"),
}
LONGER_THAN_ANY_TIMEOUT_S = 6.0


def calls_on_a_loop(tree: ast.AST) -> set[str]:
    """The names of what coroutines call outright, and not in a thread."""
    coroutines = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)]
    calls = [call.func for node in coroutines for call in ast.walk(node) if isinstance(call, ast.Call)]
    return {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_that_a_frozen_redis_blocks_is_called_on_an_event_loop(path: Path) -> None:
    assert not calls_on_a_loop(ast.parse(path.read_text())) & BLOCKING


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_pool_that_starves_under_load_and_no_task_that_waits_in_a_worker(path: Path) -> None:
    text = path.read_text()
    for trap in ("BlockingConnectionPool", r"\beta=", "countdown=", "acks_late=True", r"RedisChannelLayer\("):
        assert not re.search(trap, text)


def test_no_worker_holds_a_message_that_it_has_not_acknowledged() -> None:
    """One that does dies when Redis restarts, and one that waits longer than Redis likes is run twice."""
    assert settings.CELERY_TASK_ACKS_LATE is False
    assert settings.CELERY_TASK_IGNORE_RESULT is True


def test_an_ear_that_hears_nothing_for_long_hears_what_comes_then(valkey_url: str) -> None:
    """redis-py's timeout for a socket on which nothing comes is five seconds."""

    async def listen() -> Copy:
        subscription = Subscription()
        await subscription.join(4711)
        copies = subscription.copies()
        received = asyncio.ensure_future(anext(copies))
        await asyncio.sleep(LONGER_THAN_ANY_TIMEOUT_S)
        assert not received.done()
        await asyncio.to_thread(publish, [Copy(4711, 1, b"{}")])
        copy = await asyncio.wait_for(received, 15)
        await get_channel_layer().flush()
        return copy

    assert asyncio.run(listen()) == Copy(4711, 1, b"{}")


def test_a_gateways_client_makes_no_call_again_by_itself(valkey_url: str) -> None:
    async def ask(url: str) -> float:
        redis = connect_async(url)
        try:
            await redis.ping()
            began = time.monotonic()
            proxy.impairment = Impairment(lost_answer=b"traps")
            with pytest.raises(RedisError):
                await redis.incr("traps")
            return time.monotonic() - began
        finally:
            await redis.aclose()

    with Proxy(urlsplit(valkey_url).port or 0) as proxy, Redis.from_url(valkey_url) as straight:
        assert asyncio.run(ask(f"redis://{LOOPBACK}:{proxy.port}/0")) < settings.REDIS_TIMEOUT_S
        assert straight.get("traps") == b"1"


@pytest.mark.django_db
@pytest.mark.skipif(bool(settings.DATABASES["default"]["ENGINE"].endswith("postgresql")), reason="of SQLite")
def test_sqlite_writes_ahead_and_takes_its_lock_at_once() -> None:
    """A transaction that reads and then writes is refused if somebody else wrote in between."""
    with connection.cursor() as cursor:
        values = [cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    assert values == ["wal", 2]
    options = settings.DATABASES["default"]["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    assert options["timeout"] >= 10
