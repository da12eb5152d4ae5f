"""Compare ballots acknowledged to phones with those sealed and counted in the database."""

from collections import Counter

import msgspec

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from tests.server import Server
from voting.counting.ballots import Ballot, unpack_ballots


def list_turns(server: Server, event: int, *states: str) -> list[int]:
    wanted = ", ".join(f"'{state}'" for state in states)
    sql = (
        "SELECT t.id FROM games_turn t JOIN games_match m ON m.id = t.match_id "  # noqa: S608
        f"WHERE m.event_id = ? AND t.state IN ({wanted}) ORDER BY t.id"
    )
    return [turn for (turn,) in server.rows(sql, event)]


def resolved_turns(server: Server, event: int) -> list[int]:
    return list_turns(server, event, "resolved")


def sealed_ballots(server: Server, turn: int) -> dict[str, Ballot]:
    rows = server.rows("SELECT sealed FROM voting_tallyrecord WHERE turn_id = ?", turn)
    return {ballot.voter: ballot for (packed,) in rows for ballot in unpack_ballots(packed)}


def assert_nothing_is_lost(server: Server, report: RehearsalReport, turns: list[int]) -> None:
    """Every acknowledged ballot, or a later one of that voter, is in its sealed turn."""
    for turn in turns:
        held = sealed_ballots(server, turn)
        for phone, (choice, sequence) in report.ledger.get(turn, {}).items():
            ballot = held.get(report.voters[phone])
            assert ballot is not None, f"turn {turn}: the ballot of phone {phone} is lost"
            assert ballot.sequence >= sequence
            assert ballot.sequence > sequence or ballot.choice == choice


def assert_counts_are_of_sealed_ballots(server: Server) -> None:
    sql = "SELECT turn_id, side, counts, ballots, sealed FROM voting_tallyrecord"
    for turn, side, counts, total, packed in server.rows(sql):
        ballots = unpack_ballots(packed)
        tally = msgspec.json.decode(counts)
        assert {c: n for c, n in enumerate(tally, 1) if n} == Counter(b.choice for b in ballots), turn
        assert (sum(tally), len({ballot.voter for ballot in ballots})) == (total, total)
        assert {ballot.side for ballot in ballots} <= {side}


def assert_resolved_once(server: Server, event: int) -> None:
    """Each turn has two tallies and one reveal, in order; announcements have no gap."""
    turns = resolved_turns(server, event)
    tallies = "SELECT turn_id, COUNT(*) FROM voting_tallyrecord GROUP BY turn_id"
    assert dict.fromkeys(turns, 2).items() <= dict(server.rows(tallies)).items()
    bodies = server.rows("SELECT body FROM voting_announcement WHERE event_id = ? ORDER BY seq", event)
    messages = [msgspec.json.decode(body) for (body,) in bodies]
    assert [message["seq"] for message in messages] == list(range(1, len(messages) + 1))
    revealed = [m["state"]["match"]["reveal"]["turn"] for m in messages if m["type"] == "turn.revealed"]
    assert revealed == turns
