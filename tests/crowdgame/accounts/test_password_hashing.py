"""Passwords: hashed one at a time, and kept from guest accounts of earlier versions."""

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth import hashers
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

import crowdgame.settings
from crowdgame.accounts.accounts import AccountError, name_key, rename
from crowdgame.accounts.models import Guest
from crowdgame.accounts.name_skeletons import name_skeleton
from crowdgame.accounts.password_hashing import LOWER_BY, MAX_WAITING, hashing_turn
from crowdgame.server.web.errors import ServerBusy
from tests.deploy.processes import wait_until
from voting.ballot_box.ballot_box import BallotBox

THREADS = 30
PASSWORD = "anchors-aweigh"
MONA = "M\u043ena L"  # with a Cyrillic letter, as accounts could have before look-alikes were refused


@pytest.fixture
def record(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the product's hasher does: `begin` and `end` of each hash."""
    settings.PASSWORD_HASHERS = crowdgame.settings.PASSWORD_HASHERS
    done: list[str] = []
    module: Any = hashers
    pbkdf2 = module.pbkdf2

    def recorded(*args: Any, **kwargs: Any) -> Any:
        done.append("begin" if connection.connection is None else "begin, connected to the database")
        hashed = pbkdf2(*args, **kwargs)
        done.append("end")
        return hashed

    monkeypatch.setattr(module, "pbkdf2", recorded)
    return done


@contextmanager
def turn_in_another_thread() -> Iterator[None]:
    began, over = threading.Event(), threading.Event()

    def hold() -> None:
        with hashing_turn():
            began.set()
            assert over.wait(30)

    with ThreadPoolExecutor(1) as thread:
        held = thread.submit(hold)
        try:
            assert began.wait(30)
            yield
        finally:
            over.set()
            held.result()


@pytest.mark.nightly
def test_hashing_runs_one_at_a_time_and_refuses_a_long_queue(record: list[str]) -> None:
    def hash_one() -> bool:
        try:
            hashers.make_password("lovelace")
        except ServerBusy:
            return False
        return True

    with ThreadPoolExecutor(THREADS) as threads, turn_in_another_thread():
        results = [threads.submit(hash_one) for _ in range(THREADS)]
        wait_until(lambda: sum(result.done() for result in results) == THREADS - MAX_WAITING)
        assert record == []
    assert sum(result.result() for result in results) == MAX_WAITING
    assert record == ["begin", "end"] * MAX_WAITING


@pytest.mark.django_db(transaction=True)
def test_hashing_keeps_no_database_connection(record: list[str]) -> None:
    connection.ensure_connection()
    with hashing_turn():
        assert connection.connection is None
        connection.ensure_connection()
        hashers.make_password("lovelace")
    assert record == ["begin", "end"]


@pytest.mark.django_db(transaction=True)
def test_hashing_in_a_transaction_does_not_wait() -> None:
    with turn_in_another_thread(), transaction.atomic(), pytest.raises(ServerBusy), hashing_turn():
        pytest.fail("there was no turn")
    with transaction.atomic(), hashing_turn():
        assert connection.in_atomic_block


@pytest.mark.nightly
@pytest.mark.usefixtures("record")
def test_threads_that_hash_let_the_event_loop_go_first() -> None:
    has_thread_priorities = sys.platform == "linux"

    def hash_twice() -> int:
        for _ in range(2):
            hashers.make_password("a guess")
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id() if has_thread_priorities else 0)

    before = os.getpriority(os.PRIO_PROCESS, 0)
    lowered = min(before + LOWER_BY, 19) if has_thread_priorities else before
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(hash_twice).result() == lowered
    hashers.make_password("a guess")
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


@pytest.mark.nightly
@pytest.mark.django_db(transaction=True)
def test_migration_makes_accounts_users(request: pytest.FixtureRequest, box: BallotBox) -> None:
    """Names that look alike before skeletons were introduced keep their login, too."""

    def migrate_accounts() -> None:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes("accounts"))

    executor, first_release = MigrationExecutor(connection), [("accounts", "0001_initial")]
    request.addfinalizer(migrate_accounts)
    executor.migrate(first_release)
    names = ("", "Bob", "B0b", MONA, "Ada")
    User.objects.create_user("Ada", password="of-the-organizer")
    old: Any = executor.loader.project_state(first_release).apps.get_model("accounts", "Guest")
    for number, name in enumerate(names):
        password, key = (make_password(PASSWORD), name_key(name)) if name else ("", None)
        old.objects.create(number=2000 + number, name=name, name_key=key, password=password)
    migrate_accounts()
    guests = list(Guest.objects.order_by("pk").select_related("user"))
    assert tuple(guest.name for guest in guests) == names
    assert [guest.name_skeleton for guest in guests] == [None, "bob", None, name_skeleton("Mona L"), "ada"]
    users = [guest.user and guest.user.username for guest in guests]
    assert users == [None, "bob", "b0b", name_key(MONA), "ada2004"]
    with pytest.raises(AccountError, match="taken"):
        rename(guests[2], "B\u043eb")
    rename(guests[2], "Robert")
    for name in ("Bob", "robert", MONA, "Ada 2004"):
        answer = Client().post("/play/login", {"login": name, "password": PASSWORD})
        assert answer["Location"] == "/play/"
