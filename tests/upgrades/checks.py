"""What must hold after an upgrade, in SQLite and in PostgreSQL."""

from pathlib import Path

from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.startup import manage, migrate
from tests.deploy.processes import wait_until
from tests.ledger import assert_counts_are_of_sealed_ballots, resolved_turns, sealed_ballots
from tests.server import Server
from tests.socket_clients import open_clients
from tests.upgrades.release import CODES, MATCH, OPEN_MS, PLAYED, RELEASES, Release
from tests.voting.open_turn import vote
from tests.voting.verifiers import theirs
from voting.ballot_box.box_types import turn_keys

TIMEOUT_S = 2 * OPEN_MS / 1000
EVENTS = "SELECT id, code, is_duel FROM games_event"
KEYS = """SELECT code FROM voting_ticket WHERE event_id = ? AND voter NOT IN
(SELECT voter FROM voting_storedballot b JOIN games_turn t ON t.id = b.turn_id
JOIN games_match m ON m.id = t.match_id WHERE m.event_id = ?)"""
GRANTS = """SELECT DISTINCT c.app_label FROM auth_user_user_permissions g
JOIN auth_permission p ON p.id = g.permission_id JOIN django_content_type c ON c.id = p.content_type_id"""
RUN_SQL = """from django.db import connection
with connection.cursor() as cursor:
    cursor.execute({!r})
    print(cursor.description and cursor.fetchall())"""
EVENT_OF_DUEL = "UPDATE games_event SET is_casual = true, rematch_wanted_by = 2 WHERE is_duel"
DUEL = "SELECT CASE WHEN casual THEN 'casual' ELSE 'rated' END, rematch_wanted_by FROM duels_duel"
ENTRIES = """INSERT INTO events_auditentry (event_id, "by", action, what, undone, at)
SELECT min(id), {!r}, 'event.edit', '', false, {} FROM games_event"""
USERS = """SELECT a."by", u.username FROM events_auditentry a LEFT JOIN auth_user u ON u.id = a.user_id
WHERE a.action = 'event.edit' ORDER BY a.id"""
LATER_MS = 4_102_444_800_000  # than any account was made
RESULTS = "SELECT result FROM games_match WHERE event_id = ? ORDER BY number"


def assert_upgraded(server: Server, release: Release, folder: Path) -> None:
    ids = {code: event_id for event_id, code, _ in server.rows(EVENTS)}
    assert_open_turn_keeps_its_ballots(server, release, ids[CODES.running])
    server.ask("play_to", event_id=ids[CODES.running], picks=MATCH[PLAYED + 1 :])
    for code in (CODES.running, CODES.finished):
        assert server.rows(RESULTS, ids[code]) == [("red",)]
        record = folder / f"{code}.json"
        server.ask("command", words=["export", code, "--output", str(record)])
        status, output = theirs(record.read_bytes(), record)
        assert status == 0, output
    assert_duel_goes_on(server)
    assert server.rows(GRANTS) == [("voting",)]
    assert_counts_are_of_sealed_ballots(server)
    for part in ("gateway", "worker", "scheduler-1"):
        assert server.log_errors(part) == []


def assert_open_turn_keeps_its_ballots(server: Server, release: Release, event_id: int) -> None:
    turns = wait_for_resolved(server, event_id, PLAYED + 1)
    voters = release.box(server.stack)[turn_keys(event_id, turns[-1])[1]]
    assert sealed_ballots(server, turns[-1]).keys() == voters.keys()


def assert_duel_goes_on(server: Server) -> None:
    """The player who had not voted votes; both ballots count."""
    ((duel, code),) = ((event_id, code) for event_id, code, is_duel in server.rows(EVENTS) if is_duel)
    (waiting,) = (key for (key,) in server.rows(KEYS, duel, duel))
    with open_clients(server) as clients:
        player, welcome = clients.phone(code, key=waiting)
        vote(player, welcome["state"]["match"]["turn"]["id"])
    (turn,) = wait_for_resolved(server, duel, 1)
    assert len(sealed_ballots(server, turn)) == 2


def assert_columns_are_carried_over(stack: Stack) -> None:
    """A duel takes over from its event; audit entries get the user who had the name at the time."""
    RELEASES[0].load_database(stack)
    manage(stack, "migrate", "migrate", "voting", "0037")
    _run_sql(stack, EVENT_OF_DUEL)
    for name, at in (("olga", 1), ("olga", LATER_MS), ("ada", LATER_MS)):
        _run_sql(stack, ENTRIES.format(name, at))
    migrate(stack)
    assert _run_sql(stack, DUEL).strip() == "[('casual', 2)]"
    assert _run_sql(stack, USERS).strip() == "[('olga', None), ('olga', 'olga'), ('ada', None)]"


def _run_sql(stack: Stack, sql: str) -> str:
    return manage(stack, "run SQL", "shell", "--verbosity", "0", "--command", RUN_SQL.format(sql))


def wait_for_resolved(server: Server, event_id: int, number: int) -> list[int]:
    wait_until(lambda: len(resolved_turns(server, event_id)) >= number, TIMEOUT_S)
    return resolved_turns(server, event_id)[:number]
