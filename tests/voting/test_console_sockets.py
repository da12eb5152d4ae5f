"""The control room's socket: whose it is, and that each press is answered."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, get_args

import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from deploy.laptop.network import shares_ports
from tests.deploy.processes import wait_until
from tests.faces import Face, Faces, Message, faces_of
from tests.stack import House, running_house
from voting import protocol
from voting.consumers.console import LOOK_AGAIN_S
from voting.playbill import KEPT_MS
from voting.protocol import CloseCode

one_port_many_gateways = pytest.mark.skipif(not shares_ports(), reason="this system has one gateway a port")


@pytest.fixture(scope="module")
def cookie(house: House) -> str:
    return str(house.ask("session", name="olga"))


@pytest.fixture
def made(house: House) -> dict[str, Any]:
    made: dict[str, Any] = house.ask("event", window_s=600)
    return made


@pytest.fixture
def console(cookie: str, made: dict[str, Any], faces: Faces) -> Face:
    face = faces.console(made["code"], cookie)
    face.hear("console.welcomed")
    return face


def done(console: Face, number: int, action: str, **more: Any) -> None:
    console.say("action.ask", id=number, action=action, **more)
    console.hear("action.done", id=number)


def deeds_told(console: Face, number: int) -> list[Message]:
    """The first so many, and what came meanwhile: a deed comes before its answer or soon after."""
    while (
        len(told := [message["deed"] for message in console.heard if message["type"] == "deed.told"]) < number
    ):
        console.hear("deed.told")
    return told


def refused(house: House, console: Face, number: int, action: str, **more: Any) -> str:
    """In words, and it changes nothing."""
    before, since = house.contents(), len(house.log("gateway"))
    console.say("action.ask", id=number, action=action, **more)
    text = str(console.hear("action.refused", id=number)["text"])
    assert house.contents() == before
    assert house.trouble("gateway", since) == []
    return text


def test_the_owner_and_a_superuser_come_in(
    made: dict[str, Any], cookie: str, house: House, faces: Faces
) -> None:
    boss = house.ask("session", name="boss", superuser=True)
    for own in (cookie, boss):
        welcome = faces.console(made["code"], own).hear("console.welcomed")
        assert welcome["join_url"] == f"{house.http}/{made['code']}"
        assert welcome["state"]["lobby"] == "closed"


def test_nobody_else_comes_in(made: dict[str, Any], cookie: str, house: House, faces: Faces) -> None:
    other = house.ask("session", name="otto")
    before, since = house.contents(), len(house.log("gateway"))
    for wrong in ("", "sessionid=guess", other, cookie[:-1]):
        assert faces.console(made["code"], wrong).closed() == CloseCode.NOT_ALLOWED
    assert faces.console("ZZZZ", cookie).closed() == CloseCode.NO_SUCH_EVENT
    assert house.contents() == before
    assert house.trouble("gateway", since) == []


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None])
def test_a_page_of_another_site_opens_no_console(
    origin: str | None, cookie: str, house: House, faces: Faces
) -> None:
    since = len(house.log("gateway"))
    headers = {"Cookie": cookie} | ({"Origin": origin} if origin else {})
    with pytest.raises(InvalidStatus) as refusal:
        faces.open("console", headers)
    assert refusal.value.response.status_code == 403
    assert house.trouble("gateway", since) == []


def test_an_evening_by_presses(made: dict[str, Any], console: Face, house: House, faces: Faces) -> None:
    display, welcome = faces.display(made["code"])
    assert welcome["state"]["match"] is None
    done(console, 1, "lobby.open")
    done(console, 2, "match.start")
    turn = display.hear("match.started")["state"]["match"]["turn"]
    done(console, 3, "turn.pause", turn=turn["id"])
    paused = display.hear("turn.paused")["state"]["match"]["turn"]
    assert (paused["paused"], paused["left_ms"]) == (True, 600_000)
    done(console, 4, "turn.extend", turn=turn["id"], seconds=60)
    assert display.hear("turn.moved")["state"]["match"]["turn"]["left_ms"] == 660_000
    done(console, 5, "turn.resume", turn=turn["id"])
    resumed = display.hear("turn.resumed")["state"]["match"]["turn"]
    assert resumed["closes_at"] - resumed["opens_at"] == 660_000
    house.ask("open_at_once", event_id=made["id"])
    done(console, 6, "turn.close", turn=turn["id"])
    assert display.hear("turn.revealed")["state"]["match"]["turn"]["number"] == 2
    done(console, 7, "turn.void", turn=turn["id"])
    assert display.hear("turn.voided")["state"]["match"]["turn"]["number"] == 1
    done(console, 8, "joining.lock")
    done(console, 9, "joining.unlock")
    done(console, 10, "match.abort")
    assert display.hear("match.aborted")["state"]["match"]["state"] == "aborted"
    told = [message["seq"] for message in display.heard if "seq" in message]
    assert told == list(range(13))  # a close is two changes: the deadline moves, then the reveal
    fresh = faces.display(made["code"])[1]
    changes = [message for message in display.heard if "state" in message]
    assert (fresh["seq"], fresh["state"]) == (changes[-1]["seq"], changes[-1]["state"])
    assert house.rows("SELECT state FROM games_match WHERE event_id = ?", made["id"]) == [("aborted",)]


def test_what_cannot_be_done_is_refused_in_words(house: House, console: Face) -> None:
    assert refused(house, console, 1, "turn.close") == "No turn is open."
    assert refused(house, console, 2, "match.abort") == "No match is playing."
    assert refused(house, console, 3, "turn.void") == "There is no turn to take back."
    done(console, 4, "match.start")
    assert refused(house, console, 5, "match.start") == "A match is playing already."
    assert refused(house, console, 6, "turn.pause", turn=1) == "That turn is over already."
    assert refused(house, console, 7, "turn.resume") == "It is not paused."
    assert refused(house, console, 8, "lobby.open") == "It is so already."


def test_a_press_that_is_none_is_malformed(house: House, console: Face) -> None:
    before = house.contents()
    for fields in (
        {"id": 1, "action": "match.win"},
        {"id": 0, "action": "match.start"},
        {"action": "match.start"},
        {"id": 1, "action": "turn.extend", "seconds": 0},
        {"id": 1, "action": "turn.extend", "seconds": 2_592_001},
    ):
        console.say("action.ask", **fields)
        assert console.hear("error.told")["code"] == "malformed"
    console.say("console.join", code="ABCD")
    assert console.hear("error.told")["code"] == "joined_already"
    assert house.contents() == before


def test_who_has_lost_the_right_meanwhile_can_do_nothing_more(
    made: dict[str, Any], house: House, faces: Faces
) -> None:
    mine = house.ask("event", owner="anna")
    console = faces.console(mine["code"], house.ask("session", name="anna"))
    console.hear("console.welcomed")
    house.ask("give_away", event_id=mine["id"], to="olga")
    assert refused(house, console, 1, "match.start") == "You may not do this."


def test_of_two_consoles_that_press_at_once_one_succeeds(
    made: dict[str, Any], cookie: str, house: House, faces: Faces
) -> None:
    consoles = [faces.console(made["code"], cookie) for _ in range(2)]
    for console in consoles:
        console.hear("console.welcomed")
    for console in consoles:
        console.say("action.ask", id=1, action="match.start")
    answers = [
        console.hear_until(lambda told: told["type"] in ("action.done", "action.refused"))["type"]
        for console in consoles
    ]
    assert sorted(answers) == ["action.done", "action.refused"]
    assert house.rows("SELECT COUNT(*) FROM games_match WHERE event_id = ?", made["id"]) == [(1,)]


def test_a_rehearsal_joins_votes_and_goes_home(
    made: dict[str, Any], console: Face, house: House, faces: Faces
) -> None:
    display, _ = faces.display(made["code"])
    done(console, 1, "lobby.open")
    done(console, 2, "rehearsal.start", phones=7)
    assert console.hear_until(lambda m: m["type"] == "rehearsal.told" and m["connected"] == 7)["running"]
    display.hear_until(lambda m: m["type"] == "turnout.counted" and sum(m["connected"]) == 7)
    assert "running already" in refused(house, console, 3, "rehearsal.start", phones=7)
    house.ask("begin", event_id=made["id"])
    house.ask("closing_in", event_id=made["id"], ms=4_000)
    revealed = display.hear("turn.revealed")["state"]["match"]["reveal"]
    tallied = revealed["red"]["ballots"] + revealed["yellow"]["ballots"]
    told = console.hear_until(lambda m: m["type"] == "rehearsal.told" and m["reveal_p99_ms"] is not None)
    assert tallied == 7
    assert told["sent"] >= told["acknowledged"] >= 7
    assert (told["lost"], told["ack_p99_ms"] is None) == (0, False)
    done(console, 4, "rehearsal.stop")
    assert not console.hear_until(lambda m: m["type"] == "rehearsal.told" and not m["running"])["lost"]
    display.hear_until(lambda m: m["type"] == "turnout.counted" and sum(m["connected"]) == 0)


def test_a_rehearsal_ends_with_its_match(console: Face) -> None:
    done(console, 1, "lobby.open")
    done(console, 2, "match.start")
    done(console, 3, "rehearsal.start", phones=3)
    console.hear_until(lambda m: m["type"] == "rehearsal.told" and m["connected"] == 3)
    done(console, 4, "match.abort")
    console.hear_until(lambda m: m["type"] == "rehearsal.told" and not m["running"])
    done(console, 5, "rehearsal.start", phones=2)


def test_a_rehearsal_at_the_wrong_moment_is_refused(house: House, console: Face) -> None:
    assert refused(house, console, 1, "rehearsal.stop") == "No rehearsal is running."
    text = refused(house, console, 2, "rehearsal.start", phones=5)
    assert text == "Open the lobby first: the crowd comes in by the door."
    console.say("action.ask", id=3, action="rehearsal.start", phones=201)
    assert console.hear("error.told")["code"] == "malformed"


# ------------------------------------------------------------------ deeds and roles
def test_what_is_done_is_kept_and_told_to_the_control_rooms_alone(
    made: dict[str, Any], cookie: str, console: Face, house: House, faces: Faces
) -> None:
    other = faces.console(made["code"], cookie)
    assert other.hear("console.welcomed")["deeds"] == []
    done(console, 1, "lobby.open")
    display, _ = faces.display(made["code"])
    phone, _ = faces.phone(made["code"])
    done(console, 2, "notice.show", text="We begin at eight")
    for room in (console, other):
        assert [(deed["by"], deed["what"]) for deed in deeds_told(room, 2)] == [
            ("olga", "opened the doors"),
            ("olga", "wrote: We begin at eight"),
        ]
    assert display.hear("event.edited")["state"]["notice"] == "We begin at eight"
    for face in (display, phone):
        face.say("clock.ask", sent=9).hear("clock.told", sent=9)
        assert not any("deed" in frame for frame in face.frames)
    kept = house.rows("SELECT by, action, what FROM voting_deed WHERE event_id = ? ORDER BY id", made["id"])
    assert [tuple(row) for row in kept] == [
        ("olga", "lobby.open", "opened the doors"),
        ("olga", "notice.show", "wrote: We begin at eight"),
    ]


def test_what_is_refused_is_no_deed(house: House, console: Face) -> None:
    refused(house, console, 1, "turn.close")
    refused(house, console, 2, "hands.count", team=2, hands=[1])
    done(console, 3, "lobby.open")
    assert [deed["action"] for deed in deeds_told(console, 1)] == ["lobby.open"]


def test_who_comes_in_is_told_the_last_ten(
    made: dict[str, Any], cookie: str, console: Face, house: House, faces: Faces
) -> None:
    for number in range(1, 13):
        done(console, number, "notice.show", text=f"Line {number}")
    welcome = faces.console(made["code"], cookie).hear("console.welcomed")
    assert [deed["what"] for deed in welcome["deeds"]] == [f"wrote: Line {n}" for n in range(12, 2, -1)]
    assert welcome["role"] == "owner"


def test_a_rehearsal_is_a_deed(console: Face) -> None:
    done(console, 1, "lobby.open")
    done(console, 2, "rehearsal.start", phones=3)
    console.hear_until(lambda m: m["type"] == "rehearsal.told" and m["connected"] == 3)
    done(console, 3, "rehearsal.stop")
    assert [deed["what"] for deed in deeds_told(console, 3)] == [
        "opened the doors",
        "sent 3 simulated phones in",
        "sent the simulated crowd home",
    ]


def test_a_co_host_runs_the_event_and_a_viewer_looks_on(
    made: dict[str, Any], house: House, faces: Faces
) -> None:
    welcomes, rooms = {}, {}
    for role in ("cohost", "viewer"):
        house.ask("member", event_id=made["id"], name=f"the {role}", role=role)
        rooms[role] = faces.console(made["code"], house.ask("session", name=f"the {role}"))
        welcomes[role] = rooms[role].hear("console.welcomed")
    assert {role: welcome["role"] for role, welcome in welcomes.items()} == {
        "cohost": "cohost",
        "viewer": "viewer",
    }
    assert (bool(welcomes["cohost"]["display_key"]), welcomes["viewer"]["display_key"]) == (True, None)
    done(rooms["cohost"], 1, "match.start")
    for number, action in enumerate(get_args(protocol.Action), 1):
        assert refused(house, rooms["viewer"], number, action) == "You may not do this."
    assert any(message["type"] == "match.started" for message in rooms["viewer"].heard)
    assert [deed["by"] for deed in deeds_told(rooms["viewer"], 1)] == ["the cohost"]


def test_who_has_another_role_by_now_comes_in_anew(made: dict[str, Any], house: House, faces: Faces) -> None:
    house.ask("member", event_id=made["id"], name="vera", role="viewer")
    cookie = house.ask("session", name="vera")
    room = faces.console(made["code"], cookie)
    assert room.hear("console.welcomed")["role"] == "viewer"
    house.ask("member", event_id=made["id"], name="vera", role="cohost")
    assert closed_within(room, LOOK_AGAIN_S + 10) == CloseCode.UNAVAILABLE
    assert faces.console(made["code"], cookie).hear("console.welcomed")["role"] == "cohost"


def closed_within(face: Face, seconds: float) -> int:
    with suppress(ConnectionClosed):
        while True:
            face.socket.recv(timeout=seconds)
    return face.socket.close_code or 0


# ------------------------------------------------------------------ over two gateways
@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("hall"), gateways=2) as house:
        yield house


@pytest.fixture
def rooms(hall: House) -> Iterator[tuple[Face, Face]]:
    """Control rooms of one event whose door is open, at the first gateway and at the second."""
    for faces in faces_of(hall):
        made, cookie = hall.ask("event", lobby="open"), hall.ask("session", name="olga")
        found: dict[str, Face] = {}
        while len(found) < 2:
            face = faces.console(made["code"], cookie)
            face.hear("console.welcomed")
            found.setdefault(gateway_of(hall, face), face)
        yield found["gateway-1"], found["gateway-2"]


def gateway_of(hall: House, face: Face) -> str:
    here = face.socket.socket.getsockname()
    for name in hall.stack.gateway_names:
        ends = psutil.Process(hall.supervisor.pid(name)).net_connections("tcp")
        if any(end.raddr == here for end in ends):
            return name
    raise AssertionError("it is at no gateway")


def has_ended(told: Message) -> bool:
    return told["type"] == "rehearsal.told" and not told["running"]


@one_port_many_gateways
def test_a_deed_is_told_in_the_control_rooms_of_all_gateways(hall: House, rooms: tuple[Face, Face]) -> None:
    for number, (here, there) in enumerate((rooms, rooms[::-1]), 1):
        done(here, number, "notice.show", text=f"Line {number}")
        told = deeds_told(here, number)
        assert told == deeds_told(there, number)
        assert [deed["what"] for deed in told] == [f"wrote: Line {n}" for n in range(1, number + 1)]


@one_port_many_gateways
def test_a_rehearsal_is_seen_and_stopped_from_any_gateway(hall: House, rooms: tuple[Face, Face]) -> None:
    for here, there in (rooms, rooms[::-1]):
        done(here, 1, "rehearsal.start", phones=5)
        for room in rooms:
            room.hear("rehearsal.told", connected=5, running=True)
        there.say("action.ask", id=2, action="rehearsal.start", phones=3)
        assert there.hear("action.refused", id=2)["text"] == "A rehearsal is running already."
        done(there, 3, "rehearsal.stop")
        for room in rooms:
            assert room.hear_until(has_ended)["connected"] == 5
        here.say("action.ask", id=4, action="rehearsal.stop")
        assert here.hear("action.refused", id=4)["text"] == "No rehearsal is running."
    for name in hall.stack.gateway_names:
        assert hall.trouble(name) == []


@one_port_many_gateways
def test_a_rehearsal_lives_through_a_box_that_is_away(hall: House, rooms: tuple[Face, Face]) -> None:
    here, there = rooms
    done(here, 1, "rehearsal.start", phones=5)
    there.hear("rehearsal.told", connected=5, running=True)
    box = hall.supervisor.pid("valkey")
    assert box
    os.kill(box, signal.SIGSTOP)
    try:
        time.sleep(KEPT_MS / 1000 + 1)
    finally:
        os.kill(box, signal.SIGCONT)
    there.say("clock.ask", sent=1).hear("clock.told")
    there.hear("rehearsal.told", connected=5, running=True)
    there.hear("rehearsal.told", connected=5, running=True)
    done(there, 2, "rehearsal.stop")
    for room in rooms:
        room.hear_until(has_ended)
    for name in hall.stack.gateway_names:
        assert hall.trouble(name) == []


@one_port_many_gateways
def test_a_rehearsal_that_went_down_with_its_gateway_is_told_to_be_over_once(
    hall: House, rooms: tuple[Face, Face]
) -> None:
    here, there = rooms
    done(here, 1, "rehearsal.start", phones=5)
    there.hear("rehearsal.told", connected=5, running=True)
    pid = hall.supervisor.pid("gateway-1")
    assert pid
    os.kill(pid, signal.SIGKILL)
    there.hear_until(has_ended)
    wait_until(lambda: hall.supervisor.pid("gateway-1") not in {None, pid})
    done(there, 2, "rehearsal.start", phones=3)
    there.hear("rehearsal.told", connected=3, running=True)
    assert len(list(filter(has_ended, there.heard))) == 1
    done(there, 3, "rehearsal.stop")
    there.hear_until(has_ended)
