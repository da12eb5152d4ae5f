"""Ways in at a running house: who comes in with what, and that a voter has one ballot however it is tried."""

import asyncio
import json
import sqlite3
from collections import Counter
from contextlib import closing
from typing import Any

import pytest
from websockets.asyncio.client import connect

from tests.deploy.processes import wait_until
from tests.faces import Face, Faces, Message
from tests.nights import ballots_in_the_box
from tests.stack import House
from voting.entry.admission import WRONG_AT_ONCE
from voting.protocol import CloseCode

HANDS = 50
LONG = {"window_s": 600, "lobby": "open"}


def event(house: House, admission: str, **choices: Any) -> dict[str, Any]:
    return dict(house.ask("event", admission=admission, **{**LONG, **choices}))


def refused(face: Face, code: str, **fields: Any) -> str:
    face.say("phone.join", code=code, **fields)
    return str(face.hear("error.told")["code"])


def turned_away(faces: Faces, code: str, **fields: Any) -> str:
    return refused(faces.open("phone"), code, **fields)


def voter_of(welcome: Message) -> str:
    return str(welcome["you"]["token"]).split(".")[1]


def vote(face: Face, turn: int, column: int, sequence: int) -> None:
    face.say("ballot.cast", turn=turn, epoch=1, column=column, sequence=sequence)
    face.hear("ballot.counted", turn=turn, sequence=sequence)


def shown(display: Face) -> Message:
    return display.hear("key.shown")


def trusted_display(house: House, faces: Faces, code: str) -> Face:
    console = faces.console(code, house.ask("session", name="olga"))
    key = console.hear("console.welcomed")["display_key"]
    console.leave()
    return faces.display(code, key=key)[0]


# ------------------------------------------------------------------ rotating
def test_the_code_of_the_moment_lets_in_and_no_other_does(house: House, faces: Faces) -> None:
    code = event(house, "rotating")["code"]
    told = shown(trusted_display(house, faces, code))
    face = faces.open("phone")
    assert refused(face, code) == "key_needed"
    assert refused(face, code, key="  - ") == "key_needed"
    assert refused(face, code, key="22222") == "key_wrong"
    face.say("phone.join", code=code, key=f" {told['key'].lower()[:2]}-{told['key'][2:]}")
    welcome = face.hear("phone.welcomed")
    assert welcome["state"]["admission"] == "rotating"
    _, back = faces.phone(code, token=welcome["you"]["token"])
    assert voter_of(back) == voter_of(welcome)


def test_a_code_is_for_its_own_event(house: House, faces: Faces) -> None:
    here, there = event(house, "rotating")["code"], event(house, "rotating")["code"]
    key = shown(trusted_display(house, faces, here))["key"]
    assert turned_away(faces, there, key=key) == "key_wrong"


def test_where_teams_are_chosen_the_team_comes_first(house: House, faces: Faces) -> None:
    code = event(house, "rotating", team_choice="choose")["code"]
    key = shown(trusted_display(house, faces, code))["key"]
    face = faces.open("phone")
    assert refused(face, code, key=key) == "team_needed"
    assert refused(face, code, team=2) == "key_needed"
    assert face.say("phone.join", code=code, team=2, key=key).hear("phone.welcomed")["you"]["team"] == 2


def test_a_display_shows_codes_once_its_event_asks_for_them_and_then_no_more(
    house: House, faces: Faces
) -> None:
    made = event(house, "open")
    display = trusted_display(house, faces, made["code"])
    house.ask("edit", event_id=made["id"], admission="rotating")
    key = shown(display)["key"]
    _, welcome = faces.phone(made["code"], key=key)
    house.ask("edit", event_id=made["id"], admission="tickets")
    display.hear_until(lambda told: told.get("state", {}).get("admission") == "tickets")
    assert turned_away(faces, made["code"], key=key) == "key_wrong"
    assert faces.phone(made["code"], token=welcome["you"]["token"])


# ------------------------------------------------------------------ tickets
def test_a_ticket_lets_in_once_until_it_is_released(house: House, faces: Faces) -> None:
    made = event(house, "tickets")
    code, (ticket, other) = made["code"], house.ask("tickets", event_id=made["id"], count=2)
    face = faces.open("phone")
    assert refused(face, code) == "key_needed"
    assert refused(face, code, key="BCDFGHJK") == "key_wrong"
    assert refused(face, code, key="not a ticket") == "key_wrong"
    face.say("phone.join", code=code, key=f"{ticket[:4]}-{ticket[4:].lower()}")
    welcome = face.hear("phone.welcomed")
    face.say("clock.ask", sent=1).hear("clock.told")
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
    face.say("clock.ask", sent=1).hear("clock.told")
    face.leave()
    assert turned_away(faces, made["code"], key=ticket) == "key_used"


def test_tickets_are_good_at_their_own_event_only(house: House, faces: Faces) -> None:
    here, there = event(house, "tickets"), event(house, "tickets")
    [ticket] = house.ask("tickets", event_id=here["id"], count=1)
    assert turned_away(faces, there["code"], key=ticket) == "key_wrong"
    _, welcome = faces.phone(here["code"], key=ticket)
    stranger = faces.open("phone").say("phone.join", code=there["code"], token=welcome["you"]["token"])
    assert stranger.closed() == CloseCode.BAD_TOKEN


def test_a_ticket_in_fifty_hands_at_once_lets_in_one(house: House) -> None:
    made = event(house, "tickets")
    tickets = house.ask("tickets", event_id=made["id"], count=3)

    async def grab(ticket: str) -> str:
        async with connect(f"{house.ws}/phone", compression=None) as socket:
            await ready.wait()
            await socket.send(json.dumps({"type": "phone.join", "code": made["code"], "key": ticket}))
            told = json.loads(await socket.recv())
            await socket.send('{"type": "clock.ask", "sent": 1}')
            await socket.recv()
            return str(told.get("code", told["type"]))

    async def grab_all() -> list[str]:
        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            tasks = [group.create_task(grab(ticket)) for ticket in tickets for _ in range(HANDS)]
            await asyncio.sleep(1.0)
            ready.set()
        return [task.result() for task in tasks]

    ready = asyncio.Event()
    outcomes = asyncio.run(grab_all())
    for number in range(len(tickets)):
        told = Counter(outcomes[number * HANDS : (number + 1) * HANDS])
        assert told == {"phone.welcomed": 1, "key_used": HANDS - 1}


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
    assert face.hear("phone.welcomed")["you"]["team"] == 2
    listed = event(house, "roster", team_choice="choose")
    [key] = house.ask("roster", event_id=listed["id"], text="Ada, 1")
    assert faces.phone(listed["code"], key=key, team=2)[1]["you"]["team"] == 1


def test_closed_and_locked_doors_are_closed_for_tickets_too(house: House, faces: Faces) -> None:
    for lobby, told in [("closed", "lobby_closed"), ("locked", "joining_locked")]:
        made = event(house, "tickets", lobby=lobby)
        [ticket] = house.ask("tickets", event_id=made["id"], count=1)
        assert turned_away(faces, made["code"], key=ticket) == told
        assert house.rows("SELECT used_at FROM voting_ticket WHERE event_id = ?", made["id"]) == [(None,)]


# ------------------------------------------------------------------ one ballot a voter
def test_a_pupils_code_on_two_devices_is_one_ballot(house: House, faces: Faces) -> None:
    made = event(house, "roster")
    turn = house.ask("play_to", event_id=made["id"], picks=[])
    [key] = house.ask("roster", event_id=made["id"], text="Ada")
    (first, one), (second, two) = (faces.phone(made["code"], key=key) for _ in range(2))
    assert (voter_of(one), one["you"]["team"]) == (voter_of(two), two["you"]["team"])
    vote(first, turn, 3, 1)
    assert ballots_in_the_box(house, made["id"], turn) == 1
    vote(second, turn, 5, 2)
    first.say("ballot.cast", turn=turn, epoch=1, column=4, sequence=1)
    assert first.hear("ballot.refused")["code"] == "stale"
    assert ballots_in_the_box(house, made["id"], turn) == 1
    _, third = faces.phone(made["code"], key=key)
    assert (third["you"]["column"], third["you"]["sequence"]) == (5, 2)


@pytest.mark.parametrize("admission", ["open", "rotating", "tickets", "roster"])
def test_replays_lower_sequences_forged_teams_and_second_sockets_make_no_second_ballot(
    admission: str, house: House, faces: Faces
) -> None:
    made = event(house, admission)
    turn = house.ask("play_to", event_id=made["id"], picks=[])
    key = key_for(admission, made, house, faces)
    face, welcome = faces.phone(made["code"], key=key, team=1)
    token, team = welcome["you"]["token"], welcome["you"]["team"]
    vote(face, turn, 3, 2)
    vote(face, turn, 3, 2)
    face.say("ballot.cast", turn=turn, epoch=1, column=4, sequence=1)
    assert face.hear("ballot.refused")["code"] == "stale"
    event_id, voter, rest = token.split(".")
    forged = f"{event_id}.{voter}.{3 - team}:{rest.partition(':')[2]}"
    assert faces.open("phone").say("phone.join", code=made["code"], token=forged).closed() == 4503
    twin, told = faces.phone(made["code"], token=token, team=3 - team, key=key)
    assert (told["you"]["team"], told["you"]["column"]) == (team, 3)
    vote(twin, turn, 6, 3)
    assert ballots_in_the_box(house, made["id"], turn) == 1


def key_for(admission: str, made: dict[str, Any], house: House, faces: Faces) -> str | None:
    if admission == "rotating":
        return str(shown(trusted_display(house, faces, made["code"]))["key"])
    if admission == "tickets":
        return str(house.ask("tickets", event_id=made["id"], count=1)[0])
    return str(house.ask("roster", event_id=made["id"], text="Ada")[0]) if admission == "roster" else None


def test_even_a_seat_signed_for_both_teams_is_one_ballot(house: House, faces: Faces) -> None:
    """The box holds it, should a voter ever get two seats."""
    made = event(house, "open")
    turn = house.ask("play_to", event_id=made["id"], picks=[])
    for sequence, team in [(1, 1), (2, 2)]:
        token = house.ask("seat", event_id=made["id"], voter="00ff00ff00ff00ff", team=team)
        face, _ = faces.phone(made["code"], token=token)
        vote(face, turn, 3, sequence)
    assert ballots_in_the_box(house, made["id"], turn) == 1


# ------------------------------------------------------------------ guessing
@pytest.mark.parametrize("admission", ["rotating", "tickets"])
def test_keys_cannot_be_guessed(admission: str, house: House, faces: Faces) -> None:
    """Two wrong ones a second are looked at even then: so a right one is tried several times."""
    made = event(house, admission)
    _, welcome = faces.phone(made["code"], key=key_for(admission, made, house, faces))
    wrong = "22222" if admission == "rotating" else "22222222"
    assert WRONG_AT_ONCE <= guess(faces, made["code"], wrong) < WRONG_AT_ONCE + 100
    codes = []
    for _ in range(5):
        right = key_for(admission, made, house, faces)
        guess(faces, made["code"], wrong)
        codes.append(first_answer(faces, made["code"], right))
    assert "retry.told" in codes
    assert faces.phone(made["code"], token=welcome["you"]["token"])
    other = event(house, admission)
    assert turned_away(faces, other["code"], key=wrong) == "key_wrong"


def test_a_hall_that_types_too_slowly_does_not_lock_itself_out(house: House, faces: Faces) -> None:
    """Nor do those who show nothing; and they are asked for a key also while somebody guesses."""
    made = event(house, "rotating")
    stale = house.ask("code_of_before", code=made["code"], periods=3)
    for _ in range(50):
        face = faces.open("phone")
        for _ in range(20):
            assert refused(face, made["code"], key=stale) == "key_wrong"
        face.leave()
    assert faces.phone(made["code"], key=key_for("rotating", made, house, faces))
    for _ in range(5):
        guess(faces, made["code"], "22222")
        assert turned_away(faces, made["code"]) == "key_needed"


def guess(faces: Faces, code: str, wrong: str) -> int:
    """How many wrong keys are looked at, twenty a socket, before all who show one are sent away."""
    looked_at = 0
    while looked_at < 2 * WRONG_AT_ONCE:
        face = faces.open("phone")
        for _ in range(20):
            face.say("phone.join", code=code, key=wrong)
            if answer(face) == "retry.told":
                assert face.closed() == CloseCode.CROWDED
                return looked_at
            looked_at += 1
        face.leave()
    return looked_at


def first_answer(faces: Faces, code: str, key: str | None) -> str:
    return answer(faces.open("phone").say("phone.join", code=code, key=key))


def answer(face: Face) -> str:
    kinds = {"phone.welcomed", "error.told", "retry.told"}
    return str(face.hear_until(lambda message: message["type"] in kinds)["type"])


# ------------------------------------------------------------------ nobody else has to do with it
def test_while_the_database_is_locked_only_those_with_tickets_wait(house: House, faces: Faces) -> None:
    hall, club = event(house, "open"), event(house, "tickets")
    tickets = house.ask("tickets", event_id=club["id"], count=2)
    _, member = faces.phone(club["code"], key=tickets[0])
    faces.phone(hall["code"])
    with closing(sqlite3.connect(house.stack.data / "db.sqlite3", isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        waiting = faces.open("phone").say("phone.join", code=club["code"], key=tickets[1])
        for _ in range(5):
            faces.phone(hall["code"])
            faces.phone(club["code"], token=member["you"]["token"])
        with pytest.raises(TimeoutError):
            waiting.socket.recv(timeout=1)
        database.execute("ROLLBACK")
    assert waiting.hear("phone.welcomed")


def test_whoever_waits_with_a_ticket_is_told_of_a_database_that_refuses(house: House, faces: Faces) -> None:
    made = event(house, "tickets")
    [ticket] = house.ask("tickets", event_id=made["id"], count=1)
    refusing = (
        f"CREATE TRIGGER refusing BEFORE UPDATE ON voting_ticket WHEN OLD.event_id = {made['id']} "
        "BEGIN SELECT RAISE(ABORT, 'not today'); END"
    )
    with closing(sqlite3.connect(house.stack.data / "db.sqlite3", isolation_level=None)) as database:
        database.execute(refusing)
        stranger = faces.open("phone").say("phone.join", code=made["code"], key=ticket)
        assert stranger.closed() == CloseCode.UNAVAILABLE
        database.execute("DROP TRIGGER refusing")
    assert faces.phone(made["code"], key=ticket)
