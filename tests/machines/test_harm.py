"""Each fault of the environment once, under a crowd: nothing is lost, and soon all is right again.

Clocks that are set take a C compiler, a disk that is full the right to mount one.
"""

from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest

from tests.chaos.campaign import Campaign, Size
from tests.chaos.disks import small_disk
from tests.chaos.faults import Fault, clocks, disk, network, store
from tests.chaos.faults.clocks import BoxClockSet
from tests.chaos.faults.disk import fill
from tests.chaos.night import Choices, Night, running_night
from tests.deploy.processes import wait_until
from tests.faces import Face, Faces
from tests.watching.watcher import ask

RIGHT_WITHIN_S = 10.0
ONCE = Size(events=2, phones=60, turns=10_000, seconds=900, rounds=1)
LIVE = "SELECT id, opens_at, closes_at FROM games_turn WHERE state = 'open'"
FULL = b"disk is full"
CLOCKS = ("clock-1", "clock-2")


def strike(night: Night, faults: tuple[Fault, ...]) -> None:
    campaign = Campaign(night, ONCE, faults, Random(1), print)
    campaign.play()
    assert not campaign.not_here
    assert {struck.fault for struck in campaign.struck} == {fault.name for fault in faults}
    assert not campaign.findings
    for struck in campaign.struck:
        assert struck.right is not None, struck.fault
        assert struck.right_after_s <= RIGHT_WITHIN_S, struck.fault


@pytest.mark.parametrize("family", [store, network], ids=["store", "network"])
def test_a_store_that_fails_and_a_bad_line(family: object, tmp_path: Path) -> None:
    with running_night(tmp_path, Choices()) as night:
        strike(night, family.FAULTS)  # type: ignore[attr-defined]
        assert "Traceback" not in said(tmp_path, *CLOCKS, "worker")


def test_clocks_that_are_set(tmp_path: Path) -> None:
    with running_night(tmp_path, Choices(timed=True)) as night:
        strike(night, clocks.FAULTS)
        assert said(tmp_path, *CLOCKS).count("the ballot box's clock was set by") >= 2


@pytest.mark.parametrize("step_s", [300, -300])
def test_a_clock_that_is_set_leaves_everybody_the_time_they_had(step_s: int, tmp_path: Path) -> None:
    with running_night(tmp_path, Choices(timed=True)) as night:
        event = night.house.ask("event", window_s=60, lobby="open")
        night.house.ask("begin", event_id=event["id"])
        (before,) = night.house.rows(LIVE)
        with ExitStack() as held:
            display = Faces(night.house, held).open("display").say("display.join", code=event["code"])
            display.hear("display.welcomed")
            BoxClockSet("", step_s).inject(night, Random(1))
            moved = display.hear("turn.moved")["state"]["match"]["turn"]
            assert abs(moved["opens_at"] - before[1] - step_s * 1000) < 500
            assert abs(moved["closes_at"] - before[2] - step_s * 1000) < 500
            wait_until(lambda: abs(told_time(display) - box_time(night)) < 200, RIGHT_WITHIN_S)
        (after,) = night.house.rows(LIVE)
        assert after == (before[0], moved["opens_at"], moved["closes_at"])


def told_time(display: Face) -> int:
    """By the gateway, as it answers now."""
    return int(display.say("clock.ask", sent=1).hear("clock.told")["now_at"])


def box_time(night: Night) -> int:
    with night.box() as redis:
        seconds, micros = redis.time()
    return int(seconds) * 1000 + int(micros) // 1000


def test_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as small, running_night(tmp_path, Choices(disk=small)) as night:
        strike(night, disk.FAULTS)
        assert " waits: " in said(tmp_path, *CLOCKS)
        assert "Traceback" not in said(tmp_path, *CLOCKS, "worker")


def test_a_full_disk_is_told_in_words_until_there_is_space(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as small, running_night(tmp_path, Choices(disk=small)) as night:
        assert FULL not in health(night)
        fill(small / "ballast")
        assert FULL in health(night)
        wait_until(lambda: FULL in ask(night.house, "/readyz").body)
        (small / "ballast").unlink()
        assert FULL not in health(night)
        wait_until(lambda: FULL not in ask(night.house, "/readyz").body)


def health(night: Night) -> bytes:
    answer = ask(night.house, "/healthz")
    assert answer.status == 200
    return answer.body


def said(home: Path, *parts: str) -> str:
    return "".join((home / "logs" / f"{part}.log").read_text(errors="replace") for part in parts)
