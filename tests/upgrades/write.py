"""Write the data of this version, for tests of later ones: `python -m tests.upgrades.write NAME`."""

import argparse
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

import psycopg
from redis import Redis

from tests.machines.postgres import program, running_postgres
from tests.run_folder import DATABASE
from tests.server import Server, running_server
from tests.socket_clients import open_clients
from tests.upgrades.release import FINISHED, MATCH, PLAYED, RUNNING, Release
from tests.voting.open_turn import vote
from voting.ballot_box.box_types import turn_keys

# The votes of the open turn.
VOTES = (3, 5, 3, 5, 3, 6)
GRANT = """INSERT INTO auth_user_user_permissions (user_id, permission_id)
SELECT u.id, p.id FROM auth_user u, auth_permission p
WHERE u.username = 'olga' AND p.codename = 'view_turn'"""


def fill(server: Server) -> dict[str, dict[str, str]]:
    """Create a finished match, a cup, a duel and a running match; return the open turn's ballot box."""
    finished = server.ask("event", code=FINISHED)["id"]
    server.ask("play_to", event_id=finished, picks=MATCH)
    server.ask("cup", event_id=finished, teams=["Rooks", "Doves", "Owls", "Wrens"], won=[1])
    duel = server.ask("duel")
    server.ask("open_turn_now", event_id=duel["id"])
    running = server.ask("event", code=RUNNING, lobby="open", window_s=300)["id"]
    turn = server.ask("play_to", event_id=running, picks=MATCH[:PLAYED])
    with open_clients(server) as clients:
        for choice in VOTES:
            vote(clients.phone(RUNNING)[0], turn, choice)
        player, welcome = clients.phone(duel["code"], key=duel["keys"][0])
        vote(player, welcome["state"]["match"]["turn"]["id"])
        with Redis.from_url(server.stack.redis, decode_responses=True) as redis:
            return {key: redis.hgetall(key) for key in turn_keys(running, turn)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="the folder's name: the release or its date")
    release = Release(parser.parse_args().name)
    with tempfile.TemporaryDirectory() as data, running_server(Path(data)) as server:
        box = fill(server)
        with closing(sqlite3.connect(server.stack.data / DATABASE)) as database, database:
            database.execute(GRANT)
            release.write("sqlite", "\n".join(database.iterdump()), box)
    with tempfile.TemporaryDirectory() as data, running_postgres() as postgres:
        url = postgres.new_database()
        with running_server(Path(data), database_url=url) as server:
            box = fill(server)
            with psycopg.connect(url) as connection:
                connection.execute(GRANT)
            dump = [program("pg_dump"), "--inserts", "--no-owner", "--no-privileges", url]
            sql = subprocess.run(dump, check=True, capture_output=True, text=True).stdout
            release.write("postgres", sql, box)


if __name__ == "__main__":
    main()
