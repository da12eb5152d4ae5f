"""A thousand real sockets in a match with secret sides, played to its end: each change counts, once."""

import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from crowdgame.rehearsal.report import Report
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    resolved_turns,
    sealed_ballots,
)
from tests.stack import House

PHONES, SHARE = 1_000, "0.06"
LONGEST_S = 220
SIDES = {1: "red", 2: "yellow"}


def rehearse(house: House, code: str, report: Path) -> Report:
    argv = [*MANAGE, "rehearse", code, "--url", house.http, "--phones", str(PHONES), "--defect", SHARE]
    env = {**os.environ, **house.stack.env}
    argv += ["--seed", "11", "--json", str(report)]
    subprocess.run(argv, cwd=ROOT, env=env, check=True, timeout=LONGEST_S)
    return msgspec.json.decode(report.read_bytes(), type=Report)


def defections(house: House) -> dict[str, list[tuple[int, str]]]:
    """What is written down, a voter's in order."""
    held: dict[str, list[tuple[int, str]]] = {}
    for voter, turn, side in house.rows("SELECT voter, turn, side FROM voting_defection ORDER BY number"):
        held.setdefault(voter, []).append((turn, side))
    return held


@pytest.mark.thorough
def test_a_thousand_phones_change_over_and_play_to_the_end(house: House, tmp_path: Path) -> None:
    event = house.ask("event", window_s=3, reveal_s=2, lobby="open", defections=2, turn_points=True)
    house.ask("begin", event_id=event["id"])
    report = rehearse(house, event["code"], tmp_path / "report.json")
    turns = resolved_turns(house, event["id"])
    assert report.joined == PHONES
    assert (report.ballots.lost, report.ballots.missing) == (0, 0)
    assert_nothing_is_lost(house, report, turns)
    assert_counts_are_of_sealed_ballots(house)
    assert_resolved_once(house, event["id"])
    acknowledged = {
        report.voters[phone]: [(turn, SIDES[team]) for turn, team in changes]
        for phone, changes in report.changes.items()
    }
    assert acknowledged == defections(house)
    assert 0 < max(map(len, acknowledged.values())) <= 2
    told = told_sides(house)
    everybody = {told_turn["red"] + told_turn["yellow"] for told_turn in told["turns"]}
    moved = sum(turn["to_red"] + turn["to_yellow"] for turn in told["turns"])
    assert everybody == {PHONES}
    assert moved == sum(map(len, acknowledged.values()))
    ends = Counter(changes[-1][1] for changes in acknowledged.values())
    ends += Counter(SIDES[team] for phone, team in report.teams.items() if phone not in report.changes)
    assert ends == {side: told["turns"][-1][side] for side in SIDES.values()}
    for number, turn in enumerate(turns, 1):
        assert_on_their_sides(house, turn, number, acknowledged, report)
    print(f"{PHONES} phones, {len(turns)} turns, {moved} changes of side; {told}; {report.ack_ms}")


def told_sides(house: House) -> Any:
    ((told,),) = house.rows("SELECT told FROM voting_sidesrecord")
    return msgspec.json.decode(told)["told"]


def assert_on_their_sides(
    house: House, turn: int, number: int, changes: dict[str, list[tuple[int, str]]], report: Report
) -> None:
    """Every sealed ballot is for the side on which its voter was in that turn."""
    homes = {report.voters[phone]: SIDES[team] for phone, team in report.teams.items()}
    for voter, ballot in sealed_ballots(house, turn).items():
        held = [side for since, side in changes.get(voter, []) if since <= number]
        assert ballot.side == (held[-1] if held else homes[voter])
