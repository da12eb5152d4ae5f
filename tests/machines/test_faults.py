"""Each environment fault once, under load: nothing is lost, and all phones recover soon.

The clock faults need a C compiler; the disk faults need permission to mount a disk.
"""

from contextlib import ExitStack
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from tests.chaos.campaign import Campaign, Size
from tests.chaos.faults import clocks, disk, network, store
from tests.chaos.faults.clocks import set_valkey_clock
from tests.chaos.faults.disk import fill, small_disk
from tests.chaos.target import Target, running_target
from tests.deploy.processes import becomes_true, wait_until
from tests.monitoring.probes import ask
from tests.socket_clients import SocketClient, SocketClients

RECOVERED_WITHIN_S = 10.0
ONCE = Size(events=2, phones=60, turns=10_000, seconds=900, rounds=1)
LIVE = "SELECT id, opens_at, closes_at FROM games_turn WHERE state = 'open'"
FULL = b"disk is full"
SCHEDULERS = ("scheduler-1", "scheduler-2")


@pytest.mark.parametrize("family", [store, network, clocks, disk], ids=lambda family: family.__name__[19:])
def test_each_fault_loses_nothing(family: ModuleType, tmp_path: Path) -> None:
    with ExitStack() as held:
        small = held.enter_context(small_disk(tmp_path / "disk")) if family is disk else None
        target = held.enter_context(running_target(tmp_path, timed=family is clocks, disk=small))
        campaign = Campaign(target, ONCE, family.FAULTS, Random(1))
        campaign.play()
        logged = log_text(tmp_path, *SCHEDULERS)
        assert (campaign.not_applicable, campaign.findings) == ({}, [])
        assert {injected.fault for injected in campaign.injected} == {fault.name for fault in family.FAULTS}
        for injected in campaign.injected:
            assert injected.recovered_at is not None, injected.fault
            assert injected.recovery_s <= RECOVERED_WITHIN_S, injected.fault
        if family is clocks:
            assert logged.count("the ballot box's clock was set by") >= 2
        else:
            assert "Traceback" not in logged + log_text(tmp_path, "worker")
        if family is disk:
            assert "AOF write error" in log_text(tmp_path, "valkey")  # it exits at its first write
            for name in SCHEDULERS:
                assert "scheduler waiting for Redis or the database" in log_text(tmp_path, name)


@pytest.mark.parametrize("step_s", [300, -300])
def test_clock_change_moves_the_open_window(step_s: int, tmp_path: Path) -> None:
    with running_target(tmp_path, timed=True) as target:
        event = target.ask("event", window_s=60, lobby="open")
        target.ask("begin", event_id=event["id"])
        (before,) = target.rows(LIVE)
        with ExitStack() as held:
            display = SocketClients(target, held).open("display").say("display.join", code=event["code"])
            display.receive("display.welcomed")
            set_valkey_clock(step_s)(target, Random(1))
            moved = display.receive("turn.moved")["state"]["match"]["turn"]
            assert abs(moved["opens_at"] - before[1] - step_s * 1000) < 500
            assert abs(moved["closes_at"] - before[2] - step_s * 1000) < 500
            assert becomes_true(lambda: are_clocks_equal(display, target), RECOVERED_WITHIN_S, every_s=0.25)
        (after,) = target.rows(LIVE)
        assert after == (before[0], moved["opens_at"], moved["closes_at"])


def are_clocks_equal(display: SocketClient, target: Target) -> bool:
    """Whether the gateway's clock agrees with Valkey's. A socket may ask five times a second."""
    gateway_ms = display.say("clock.ask", sent=1).receive("clock.synced")["now_at"]
    with target.box() as redis:
        seconds, micros = redis.time()
    return bool(abs(gateway_ms - seconds * 1000 - micros // 1000) < 200)


def test_health_reports_full_disk_until_space_is_free(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as small, running_target(tmp_path, disk=small) as target:
        assert FULL not in health(target)
        fill(small / "ballast")
        assert FULL in health(target)
        wait_until(lambda: FULL in ask(target, "/readyz").body)
        (small / "ballast").unlink()
        assert FULL not in health(target)
        wait_until(lambda: FULL not in ask(target, "/readyz").body)


def health(target: Target) -> bytes:
    answer = ask(target, "/healthz")
    assert answer.status == 200
    return answer.body


def log_text(home: Path, *parts: str) -> str:
    return "".join((home / "logs" / f"{part}.log").read_text(errors="replace") for part in parts)
