"""Fixtures for all tests: a real Valkey for the run, emptied for each test that uses it."""

import asyncio
import gc
import inspect
import os
import shutil
from collections.abc import Generator, Iterator
from functools import wraps
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction
from hypothesis import settings as properties
from pytest_django.plugin import DjangoDbBlocker
from redis import Redis

from crowdgame.server.config.database import SQLITE
from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import start_ballot_box
from crowdgame.server.laptop.supervisor import Supervisor
from tests.run_folder import migrated_database
from tests.settings import VALKEY_PORT
from tests.signals import reset_for_children
from voting.ballot_box.ballot_box import BallotBox

reset_for_children()
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process would compile the product anew

# Imported objects live as long as the process. Collecting garbage among them would take a tenth of a run.
gc.disable()

# No deadline: on a busy machine a single example may be slow. `--hypothesis-profile` selects another profile.
# The tests of each change try the same examples in every run.
properties.register_profile("each-change", deadline=None, max_examples=20, derandomize=True, database=None)
properties.register_profile("nightly", deadline=None, max_examples=1_000)
properties.register_profile("mutants", deadline=None, max_examples=20, derandomize=True, database=None)
properties.load_profile("each-change")

MAX_TEST_S = float(os.environ.get("MAX_TEST_S", "inf"))
# Files of a quarter of a minute or more, the slowest first, so that all processes end at about the same time.
LONGEST = (
    "tests/e2e/test_joining.py",
    "tests/e2e/test_console.py",
    "tests/e2e/test_duel_actions.py",
    "tests/e2e/test_receipt_checks.py",
    "tests/crowdgame/rehearsal/test_crowd.py",
    "tests/monitoring/test_secrecy.py",
    "tests/crowdgame/server/web/test_page_queries.py",
    "tests/crowdgame/server/serving/test_serving.py",
    "tests/crowdgame/server/serving/test_request_limits.py",
    "tests/crowdgame/rehearsal/test_rehearse_command.py",
    "tests/crowdgame/rehearsal/test_dry_runs.py",
    "tests/crowdgame/maintenance/test_backup.py",
    "tests/voting/gateway/test_consumers.py",
    "tests/crowdgame/server/laptop/test_play.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of the shared stack first, then the slowest files, but browser tests last.

    Playwright's event loop goes on until the process ends, and blocks database access of other tests.
    """

    def order(item: pytest.Item) -> tuple[bool, bool, int]:
        file, uses_stack = item.nodeid.partition("::")[0], "servers" in getattr(item, "fixturenames", ())
        return file.startswith("tests/e2e/"), not uses_stack, [*LONGEST, file].index(file)

    items.sort(key=order)


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that takes longer than MAX_TEST_S fails, unless it is marked `nightly`."""
    report = yield
    if report.passed and report.duration > MAX_TEST_S and not item.get_closest_marker("nightly"):
        report.outcome, report.longrepr = ("failed", f"slower than {MAX_TEST_S:.0f} s, not marked nightly")
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Run a test that is a coroutine function in an event loop of its own."""
    test = pyfuncitem.obj
    if inspect.iscoroutinefunction(test):
        pyfuncitem.obj = wraps(test)(lambda **fixtures: asyncio.run(test(**fixtures)))


@pytest.fixture(scope="session", autouse=True)
def data_dir() -> Path:
    return Path(settings.DATA_DIR)


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None) -> bool:
    """Give pytest-django a copy of the migrated SQLite database, since migrating takes long.

    `make mutants` keeps the copy for all mutants.
    """
    database = settings.DATABASES["default"]
    if database["ENGINE"] != SQLITE:
        return False
    if not Path(database["TEST"]["NAME"]).exists():
        shutil.copy(migrated_database(), database["TEST"]["NAME"])
    return True


@pytest.fixture(scope="session")
def valkey_process(data_dir: Path) -> Iterator[Supervisor]:
    stack = Stack(data=data_dir, secret_key="", port=0, valkey_port=VALKEY_PORT)
    with Supervisor(data_dir / "logs") as supervisor:
        start_ballot_box(stack, supervisor)
        with Redis.from_url(settings.REDIS_URL) as redis:
            redis.config_set("appendfsync", "no")  # the machine does not fail during a test
        yield supervisor


@pytest.fixture
def valkey_url(valkey_process: Supervisor) -> str:
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.flushall()
    return str(settings.REDIS_URL)


@pytest.fixture
def box(valkey_url: str) -> Iterator[BallotBox]:
    box = BallotBox()
    yield box
    box.close()


@pytest.fixture(scope="module")
def module_box(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, valkey_process: Supervisor
) -> Iterator[BallotBox]:
    """An empty ballot box and a database transaction for rows that all tests of a module only read."""
    box = BallotBox()
    box.delete_all_events()
    with django_db_blocker.unblock(), transaction.atomic():
        yield box
        transaction.set_rollback(True)
    box.close()
