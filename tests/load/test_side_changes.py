"""1,000 real sockets in a complete match with secret sides: each side change counts once."""

import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    resolved_turns,
    sealed_ballots,
)
from tests.server import Server

pytestmark = pytest.mark.nightly

PHONES, SHARE = 1_000, "0.06"
SIDES = {1: "red", 2: "yellow"}


def written_side_changes(server: Server) -> dict[str, list[tuple[int, str]]]:
    """Return the stored side changes by voter, in order."""
    changes: dict[str, list[tuple[int, str]]] = {}
    for voter, turn, side in server.rows(
        "SELECT voter, turn, side FROM voting_storedsidechange ORDER BY number"
    ):
        changes.setdefault(voter, []).append((turn, side))
    return changes


def rehearse(server: Server, code: str, report: Path, *options: str) -> RehearsalReport:
    argv = [*MANAGE, "rehearse", code, "--url", server.http, *options, "--json", str(report)]
    env = {**os.environ, **server.stack.env}
    subprocess.run(argv, cwd=ROOT, env=env, check=True, timeout=240)
    return msgspec.json.decode(report.read_bytes(), type=RehearsalReport)


def test_side_changes_of_1000_phones_count_once(server: Server, tmp_path: Path) -> None:
    event = server.ask(
        "event", window_s=3, pace="instant", lobby="open", max_side_changes=2, turn_points=True
    )
    since = len(server.log("gateway"))
    server.ask("begin", event_id=event["id"])
    options = ("--phones", str(PHONES), "--side-changes", SHARE, "--seed", "11")
    report = rehearse(server, event["code"], tmp_path / "report.json", *options)
    turns = resolved_turns(server, event["id"])
    assert server.log_errors("gateway", since) == []
    assert report.joined == PHONES
    assert (report.ballots.lost, report.ballots.missing) == (0, 0)
    assert_nothing_is_lost(server, report, turns)
    assert_counts_are_of_sealed_ballots(server)
    assert_resolved_once(server, event["id"])
    acknowledged = {
        report.voters[phone]: [(turn, SIDES[team]) for turn, team in side_changes]
        for phone, side_changes in report.side_changes.items()
    }
    assert acknowledged == written_side_changes(server)
    assert 0 < max(map(len, acknowledged.values())) <= 2
    summary = load_sides_summary(server)
    everybody = {turn["red"] + turn["yellow"] for turn in summary["turns"]}
    moved = sum(turn["to_red"] + turn["to_yellow"] for turn in summary["turns"])
    assert everybody == {PHONES}
    assert moved == sum(map(len, acknowledged.values()))
    ends = Counter(side_changes[-1][1] for side_changes in acknowledged.values())
    ends += Counter(SIDES[team] for phone, team in report.teams.items() if phone not in report.side_changes)
    assert ends == {side: summary["turns"][-1][side] for side in SIDES.values()}
    for number, turn in enumerate(turns, 1):
        assert_on_their_sides(server, turn, number, acknowledged, report)
    print(f"{PHONES} phones, {len(turns)} turns, {moved} changes of side; {summary}; {report.ack_ms}")


def load_sides_summary(server: Server) -> Any:
    ((summary,),) = server.rows("SELECT summary FROM voting_sidesrecord")
    return msgspec.json.decode(summary)["summary"]


def assert_on_their_sides(
    server: Server,
    turn: int,
    number: int,
    side_changes: dict[str, list[tuple[int, str]]],
    report: RehearsalReport,
) -> None:
    """Every sealed ballot is for its voter's side in that turn."""
    home_sides = {report.voters[phone]: SIDES[team] for phone, team in report.teams.items()}
    for voter, ballot in sealed_ballots(server, turn).items():
        sides = [side for since, side in side_changes.get(voter, []) if since <= number]
        assert ballot.side == (sides[-1] if sides else home_sides[voter])
