"""Tickets at the door of a running house: each lets one in, and only those who hold one wait for them."""

import asyncio
import json
import sqlite3
from collections import Counter
from contextlib import closing

import pytest
from websockets.asyncio.client import connect

from tests.deploy.processes import wait_until
from tests.faces import Faces
from tests.stack import House
from tests.voting.keys import event, refused, turned_away, voter_of
from voting.protocol import CloseCode

HANDS = 50


# ------------------------------------------------------------------ who gets in
def test_a_ticket_lets_in_once_until_it_is_released(house: House, faces: Faces) -> None:
    made = event(house, "tickets")
    code, (ticket, other) = made["code"], house.ask("tickets", event_id=made["id"], count=2)
    face = faces.open("phone")
    assert refused(face, code) == "key_needed"
    assert refused(face, code, key="BCDFGHJK") == "key_wrong"
    assert refused(face, code, key="not a ticket") == "key_wrong"
    face.say("phone.join", code=code, key=f"{ticket[:4]}-{ticket[4:].lower()}")
    welcome = face.receive("phone.welcomed")
    face.say("clock.ask", sent=1).receive("clock.synced")
    assert turned_away(faces, code, key=ticket) == "key_used"
    assert voter_of(faces.phone(code, token=welcome["you"]["token"])[1]) == voter_of(welcome)
    assert voter_of(faces.phone(code, key=other)[1]) != voter_of(welcome)
    assert house.ask("release", event_id=made["id"], code=ticket) == 1
    _, again = faces.phone(code, key=ticket)
    assert (voter_of(again), again["you"]["team"]) == (voter_of(welcome), welcome["you"]["team"])
    assert turned_away(faces, code, key=ticket) == "key_used"


def test_a_ticket_whose_holder_never_heard_of_the_seat_is_free_again(house: House, faces: Faces) -> None:
    made = event(house, "tickets")
    [ticket] = house.ask("tickets", event_id=made["id"], count=1)
    gone, welcome = faces.phone(made["code"], key=ticket)
    gone.leave()
    used = "SELECT used_at FROM voting_ticket WHERE event_id = ?"
    wait_until(lambda: house.rows(used, made["id"]) == [(None,)])
    face, again = faces.phone(made["code"], key=ticket)
    assert voter_of(again) == voter_of(welcome)
    face.say("clock.ask", sent=1).receive("clock.synced")
    face.leave()
    assert turned_away(faces, made["code"], key=ticket) == "key_used"


def test_tickets_are_good_at_their_own_event_only(house: House, faces: Faces) -> None:
    here, there = event(house, "tickets"), event(house, "tickets")
    [ticket] = house.ask("tickets", event_id=here["id"], count=1)
    assert turned_away(faces, there["code"], key=ticket) == "key_wrong"
    _, welcome = faces.phone(here["code"], key=ticket)
    other_phone = faces.open("phone").say("phone.join", code=there["code"], token=welcome["you"]["token"])
    assert other_phone.closed() == CloseCode.BAD_TOKEN


def test_a_ticket_in_fifty_hands_at_once_lets_in_one(house: House) -> None:
    made = event(house, "tickets")
    tickets = house.ask("tickets", event_id=made["id"], count=3)

    async def grab(ticket: str) -> str:
        async with connect(f"{house.ws}/phone", compression=None, open_timeout=None) as socket:
            await ready.wait()
            await socket.send(json.dumps({"type": "phone.join", "code": made["code"], "key": ticket}))
            message = json.loads(await socket.recv())
            await socket.send('{"type": "clock.ask", "sent": 1}')
            await socket.recv()
            return str(message.get("code", message["type"]))

    async def grab_all() -> list[str]:
        async with asyncio.timeout(90), asyncio.TaskGroup() as group:
            tasks = [group.create_task(grab(ticket)) for ticket in tickets for _ in range(HANDS)]
            await asyncio.sleep(1.0)
            ready.set()
        return [task.result() for task in tasks]

    ready = asyncio.Event()
    outcomes = asyncio.run(grab_all())
    for number in range(len(tickets)):
        tally = Counter(outcomes[number * HANDS : (number + 1) * HANDS])
        assert tally == {"phone.welcomed": 1, "key_used": HANDS - 1}


def test_teams_are_even_and_what_a_list_says_goes_first(house: House, faces: Faces) -> None:
    made = event(house, "roster")
    codes = house.ask("roster", event_id=made["id"], text="Ada, 2\nBob, Doves\nCleo\nDan\nEve\nFay")
    teams = [faces.phone(made["code"], key=key, team=1)[1]["you"]["team"] for key in codes]
    assert teams == [2, 2, 1, 1, 1, 2]


def test_where_teams_are_chosen_a_ticket_waits_for_the_choice(house: House, faces: Faces) -> None:
    made = event(house, "tickets", team_choice="choose")
    [ticket] = house.ask("tickets", event_id=made["id"], count=1)
    face = faces.open("phone")
    assert refused(face, made["code"], key=ticket) == "team_needed"
    face.say("phone.join", code=made["code"], key=ticket, team=2)
    assert face.receive("phone.welcomed")["you"]["team"] == 2
    listed = event(house, "roster", team_choice="choose")
    [key] = house.ask("roster", event_id=listed["id"], text="Ada, 1")
    assert faces.phone(listed["code"], key=key, team=2)[1]["you"]["team"] == 1


def test_closed_and_locked_doors_are_closed_for_tickets_too(house: House, faces: Faces) -> None:
    for lobby, code in [("closed", "lobby_closed"), ("locked", "joining_locked")]:
        made = event(house, "tickets", lobby=lobby)
        [ticket] = house.ask("tickets", event_id=made["id"], count=1)
        assert turned_away(faces, made["code"], key=ticket) == code
        assert house.rows("SELECT used_at FROM voting_ticket WHERE event_id = ?", made["id"]) == [(None,)]


# ------------------------------------------------------------------ nobody else has to do with it
def test_while_the_database_is_locked_only_those_with_tickets_wait(house: House, faces: Faces) -> None:
    open_event, club = event(house, "open"), event(house, "tickets")
    tickets = house.ask("tickets", event_id=club["id"], count=2)
    _, member = faces.phone(club["code"], key=tickets[0])
    faces.phone(open_event["code"])
    with closing(sqlite3.connect(house.stack.data / "db.sqlite3", isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        waiting = faces.open("phone").say("phone.join", code=club["code"], key=tickets[1])
        for _ in range(5):
            faces.phone(open_event["code"])
            faces.phone(club["code"], token=member["you"]["token"])
        with pytest.raises(TimeoutError):
            waiting.socket.recv(timeout=1)
        database.execute("ROLLBACK")
    assert waiting.receive("phone.welcomed")


def test_whoever_waits_with_a_ticket_is_told_of_a_database_that_refuses(house: House, faces: Faces) -> None:
    made = event(house, "tickets")
    [ticket] = house.ask("tickets", event_id=made["id"], count=1)
    refusing = (
        f"CREATE TRIGGER refusing BEFORE UPDATE ON voting_ticket WHEN OLD.event_id = {made['id']} "
        "BEGIN SELECT RAISE(ABORT, 'not today'); END"
    )
    with closing(sqlite3.connect(house.stack.data / "db.sqlite3", isolation_level=None)) as database:
        database.execute(refusing)
        other_phone = faces.open("phone").say("phone.join", code=made["code"], key=ticket)
        assert other_phone.closed() == CloseCode.UNAVAILABLE
        database.execute("DROP TRIGGER refusing")
    assert faces.phone(made["code"], key=ticket)
