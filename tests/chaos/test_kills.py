"""Kill each part of a running house once: the match goes on, and nothing acknowledged is lost."""

import signal
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from deploy.laptop.stack import SERVERS
from tests.deploy.processes import wait_until
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    resolved_turns,
    turns_of,
)
from tests.nights import BRISK, PATIENCE_S, PHONES, connected, crowd, leave, resolve_another, restart
from tests.stack import House, running_house
from voting.rehearsal.report import Report

PARTS = ("worker", "clock", "gateway", "valkey")


@dataclass
class Night:
    """Matches that a crowd played while each part was killed; `killed_in` are the turns by part."""

    house: House
    event: int
    report: Report
    killed_in: dict[str, int]


@pytest.fixture(scope="module", params=SERVERS)
def night(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    data = tmp_path_factory.mktemp("chaos")
    with running_house(data, request.param) as house:
        event = house.ask("event", **BRISK)
        with crowd(house, event["code"], data) as phones:
            house.ask("begin", event_id=event["id"])
            killed_in = {part: restart(house, event["id"], part, signal.SIGKILL) for part in PARTS}
            wait_until(lambda: connected(house, event["id"]) == PHONES, PATIENCE_S)
            resolve_another(house, event["id"])
            report = leave(phones, data)
        resolve_another(house, event["id"])  # the one that was open when the crowd left
        yield Night(house, event["id"], report, killed_in)


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
