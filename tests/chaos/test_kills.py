"""Kill each part of a running house once: the match goes on, and nothing acknowledged is lost."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from redis import Redis, RedisError

from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE
from tests.deploy.processes import wait_until
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    resolved_turns,
    turns_of,
)
from tests.stack import House, running_house
from voting.ballot_box import event_key, turn_keys
from voting.rehearsal.report import Report

PHONES = 60
ENOUGH = 15
PARTS = ("worker", "clock", "gateway", "valkey")
PATIENCE_S = 40


@dataclass
class Night:
    """Matches that a crowd played while each part was killed; `killed_in` are the turns by part."""

    house: House
    event: int
    report: Report
    killed_in: dict[str, int]


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    data = tmp_path_factory.mktemp("chaos")
    with running_house(data) as house:
        event = house.ask("event", window_s=3, reveal_s=1, lobby="open", next_match_after_s=3)
        with crowd(house, event["code"], data) as phones:
            house.ask("begin", event_id=event["id"])
            killed_in = {part: kill(house, event["id"], part) for part in PARTS}
            wait_until(lambda: connected(house, event["id"]) == PHONES, PATIENCE_S)
            resolve_another(house, event["id"])
            phones.send_signal(signal.SIGINT)
            assert phones.wait(PATIENCE_S) == 0
        report = msgspec.json.decode((data / "report.json").read_bytes(), type=Report)
        resolve_another(house, event["id"])  # the one that was open when the crowd left
        yield Night(house, event["id"], report, killed_in)


@contextmanager
def crowd(house: House, code: str, data: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Simulated phones that have all joined; they keep a book of what was acknowledged."""
    options = ["--url", house.http, "--phones", str(PHONES), "--turns", "1000"]
    log = data / "crowd.log"
    with (
        log.open("w") as file,
        subprocess.Popen(
            [*MANAGE, "rehearse", code, *options, "--json", str(data / "report.json")],
            cwd=ROOT,
            env={**os.environ, **house.stack.env},
            stdout=file,
            stderr=file,
        ) as process,
    ):
        try:
            wait_until(lambda: f"{PHONES} of {PHONES} phones have joined" in log.read_text(), PATIENCE_S)
            yield process
        finally:
            process.terminate()


def live_turn(house: House, event: int) -> int | None:
    return next(iter(turns_of(house, event, "open")), None)


def ballots_in_the_box(house: House, event: int, turn: int) -> int:
    with Redis.from_url(house.stack.redis, socket_timeout=2) as redis:
        return int(redis.hlen(turn_keys(event, turn)[1]))


def connected(house: House, event: int) -> int:
    """Voters that the gateways hold."""
    with Redis.from_url(house.stack.redis, socket_timeout=2) as redis:
        beats = redis.hvals(event_key(event, "gateways"))
    return sum(int(one) + int(two) for _, _, one, two, _ in (beat.split() for beat in beats))


def turn_with_ballots(house: House, event: int) -> int:
    """Wait for a turn in the middle of its window."""
    found: list[int] = []

    def is_there() -> bool:
        turn = live_turn(house, event)
        try:
            if turn and ballots_in_the_box(house, event, turn) >= ENOUGH:
                found.append(turn)
        except RedisError:
            return False
        return bool(found)

    wait_until(is_there, PATIENCE_S)
    return found[0]


def kill(house: House, event: int, part: str) -> int:
    """Kill a part while ballots come in; the turn it was in, which is resolved in the end."""
    turn = turn_with_ballots(house, event)
    pid = house.supervisor.pid(part)
    assert pid
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: house.supervisor.pid(part) not in {None, pid}, PATIENCE_S)
    wait_until(lambda: turn in resolved_turns(house, event), PATIENCE_S)
    return turn


def resolve_another(house: House, event: int) -> int:
    """Wait until the turn that comes next is resolved."""
    before = set(resolved_turns(house, event))
    wait_until(lambda: set(resolved_turns(house, event)) - before, PATIENCE_S)
    return min(set(resolved_turns(house, event)) - before)


def test_each_part_was_killed_in_a_turn_of_its_own_and_all_were_resolved(night: Night) -> None:
    assert len(set(night.killed_in.values())) == len(PARTS)
    assert set(night.killed_in.values()) <= set(resolved_turns(night.house, night.event))
    assert turns_of(night.house, night.event, "void", "paused") == []


def test_every_acknowledged_ballot_is_in_its_sealed_turn(night: Night) -> None:
    resolved = resolved_turns(night.house, night.event)
    assert set(night.killed_in.values()) <= {turn for turn in resolved if turn in night.report.ledger}
    assert_nothing_is_lost(night.house, night.report, resolved)
    assert night.report.ballots.acknowledged > PHONES * len(PARTS) / 2


def test_counts_are_of_the_sealed_ballots(night: Night) -> None:
    assert_counts_are_of_sealed_ballots(night.house)


def test_each_turn_was_resolved_and_revealed_once(night: Night) -> None:
    assert_resolved_once(night.house, night.event)
    assert night.house.rows("SELECT COUNT(*) FROM games_turn WHERE state = 'open'") <= [(1,)]


def test_the_crowd_came_back_and_understood_everything(night: Night) -> None:
    report = night.report
    assert report.joined == report.phones == PHONES
    assert report.reconnects >= PHONES
    assert (report.unreadable, report.away) == (0, {})


def test_the_house_is_whole_again(night: Night) -> None:
    assert all(night.house.supervisor.pid(part) for part in PARTS)
