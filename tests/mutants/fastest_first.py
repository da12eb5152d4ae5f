"""Plugin for pytest under mutmut: the fastest tests run first, because the first failure kills a mutant.

Tests of a running stack are left out, because each would take seconds for each mutant.
"""

import json
from pathlib import Path

import pytest
from django.db import connections

STATS = Path("mutmut-stats.json")  # written by mutmut, which runs pytest in its folder
STACK_FIXTURES = {
    "server",
    "servers",
    "server_name",
    "cluster",
    "asgi_server",
    "fresh_server",
    "proxied_servers",
}
SLOW_FIXTURES = {"django_db_setup", "valkey_process"}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if not _uses(item, STACK_FIXTURES)]
    seconds = json.loads(STATS.read_text())["duration_by_test"] if STATS.exists() else {}
    items.sort(key=lambda item: (_is_slow(item), seconds.get(item.nodeid, 0.0)))


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name bytes by their text: with the escaping of ids switched off, pytest fails on them."""
    return val.decode("ascii", "backslashreplace") if isinstance(val, bytes) else None


def _is_slow(item: pytest.Item) -> bool:
    return _uses(item, SLOW_FIXTURES) or bool(item.get_closest_marker("django_db"))


def _uses(item: pytest.Item, fixtures: set[str]) -> bool:
    return not fixtures.isdisjoint(getattr(item, "fixturenames", ()))


def pytest_sessionfinish() -> None:
    """Close the database: mutmut forks a process for each mutant after the first session."""
    connections.close_all()
