"""500 real sockets for ten turns: acknowledged, sealed and counted ballots are the same."""

import os
import subprocess
from pathlib import Path

import msgspec

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    resolved_turns,
    sealed_ballots,
)
from tests.server import House

PHONES, TURNS = 500, 10
LONGEST_S = 240


def rehearse(house: House, code: str, report: Path) -> RehearsalReport:
    argv = [*MANAGE, "rehearse", code, "--url", house.http, "--phones", str(PHONES), "--turns", str(TURNS)]
    env = {**os.environ, **house.stack.env}
    subprocess.run([*argv, "--json", str(report)], cwd=ROOT, env=env, check=True, timeout=LONGEST_S)
    return msgspec.json.decode(report.read_bytes(), type=RehearsalReport)


def test_crowd_of_500_phones_loses_no_ballot_in_ten_turns(house: House, tmp_path: Path) -> None:
    event = house.ask("event", window_s=4, reveal_s=1, lobby="open", next_match_after_s=3)
    since = len(house.log("gateway"))
    house.ask("begin", event_id=event["id"])
    report = rehearse(house, event["code"], tmp_path / "report.json")
    turns = [turn for turn in resolved_turns(house, event["id"]) if turn in report.ledger]
    assert report.joined == PHONES
    assert len(turns) >= TURNS
    assert report.ballots.lost == 0
    assert_nothing_is_lost(house, report, turns)
    assert_counts_are_of_sealed_ballots(house)
    assert_resolved_once(house, event["id"])
    for turn in turns:
        assert len(report.ledger[turn]) == len(sealed_ballots(house, turn))
    assert house.log_errors("gateway", since) == []
