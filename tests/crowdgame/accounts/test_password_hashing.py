import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth import hashers
from django.db import connection, transaction

import crowdgame.settings
from crowdgame.accounts.password_hashing import LOWER_BY, MAX_WAITING, hashing_turn
from crowdgame.server.web.errors import ServerBusy
from tests.deploy.processes import wait_until

THREADS = 30
PASSWORD = "anchors-aweigh"


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
def test_hashing_keeps_no_database_connection_and_does_not_wait_in_a_transaction(record: list[str]) -> None:
    connection.ensure_connection()
    with hashing_turn():
        assert connection.connection is None
        connection.ensure_connection()
        hashers.make_password("lovelace")
    assert record == ["begin", "end"]
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
