from pathlib import Path

import pytest

from tests import crowd_helpers as crowds
from tests.server import Server

PHONES = 1_000
SIDES = {1: "red", 2: "yellow"}


@pytest.mark.nightly
def test_side_changes_of_1000_phones_count_once(server: Server, tmp_path: Path) -> None:
    terms = {"window_s": 3, "max_side_changes": 2, "turn_points": True}
    event = server.ask("event", pace="instant", lobby="open", **terms)
    since = len(server.log("gateway"))
    server.ask("begin", event_id=event["id"])
    argv = [event["code"], "--side-changes", "0.06", "--seed", "11"]
    with crowds.running_crowd(argv, PHONES, server, tmp_path) as crowd:
        report = crowd.wait(240)
    turns = crowds.resolved_turns(server, event["id"])
    assert server.log_errors("gateway", since) == []
    assert (report.joined, report.ballots.lost, report.ballots.missing) == (PHONES, 0, 0)
    crowds.assert_nothing_is_lost(server, report, turns)
    crowds.assert_counts_are_of_sealed_ballots(server)
    crowds.assert_resolved_once(server, event["id"])

    acknowledged = {
        report.voters[phone]: [(turn, SIDES[team]) for turn, team in changes]
        for phone, changes in report.side_changes.items()
    }
    stored: dict[str, list[tuple[int, str]]] = {}
    sql = "SELECT voter, turn, side FROM voting_storedsidechange ORDER BY number"
    for voter, turn, side in server.rows(sql):
        stored.setdefault(voter, []).append((turn, side))
    assert acknowledged == stored
    assert 0 < max(map(len, stored.values())) <= 2

    home_sides = {report.voters[phone]: SIDES[team] for phone, team in report.teams.items()}
    for number, turn in enumerate(turns, 1):
        for voter, ballot in crowds.sealed_ballots(server, turn).items():
            sides = [side for since, side in stored.get(voter, []) if since <= number]
            assert ballot.side == (sides[-1] if sides else home_sides[voter])
