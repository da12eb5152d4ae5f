"""Sockets of a running house: what each face is told, and that bad input changes nothing."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.deploy.processes import wait_until
from tests.faces import Face, Faces, Message
from tests.stack import House
from voting.consumers.display import DISPLAYS_AT_ONCE
from voting.protocol import MAX_FRAME_BYTES, CloseCode

LONG_S = 601
ABNORMAL = 1006


@dataclass
class Stage:
    """An event whose turn is open for an hour; column 1 is full."""

    id: int
    code: str
    turn: int


@pytest.fixture(scope="module")
def stage(house: House) -> Stage:
    house.ask("end_all")  # what others left must not change anything meanwhile
    event = house.ask("event", window_s=600, lobby="open")
    turn = house.ask("play_to", event_id=event["id"], picks=[(1, 1)] * 3)
    return Stage(event["id"], event["code"], turn)


@pytest.fixture
def harmless(house: House, stage: Stage) -> Iterator[None]:
    """Whatever the test does leaves the database as it was, and no fault in the gateway's log."""
    before, since = house.contents(), len(house.log("gateway"))
    yield
    assert house.contents() == before
    assert house.trouble("gateway", since) == []


def event(house: House, **choices: Any) -> str:
    return str(house.ask("event", **choices)["code"])


def cast(turn: int, column: int = 4, sequence: int = 1, epoch: int = 1) -> dict[str, Any]:
    return {"turn": turn, "column": column, "sequence": sequence, "epoch": epoch}


def vote(face: Face, turn: int, column: int = 4, sequence: int = 1) -> Message:
    face.say("ballot.cast", **cast(turn, column, sequence))
    return face.hear("ballot.counted", turn=turn, sequence=sequence)


def refusal(face: Face, **ballot: int) -> str:
    face.say("ballot.cast", **ballot)
    told = face.hear("ballot.refused", turn=ballot["turn"], sequence=ballot["sequence"])
    return str(told["code"])


# ------------------------------------------------------------------ joining
def test_of_too_many_displays_the_last_are_told_to_come_later(house: House, faces: Faces) -> None:
    code = event(house, lobby="open")
    first, _ = faces.display(code)
    for _ in range(DISPLAYS_AT_ONCE - 1):
        faces.display(code)
    late = faces.open("display").say("display.join", code=code)
    assert late.hear("retry.told")["within_ms"] > 0
    assert late.closed() == CloseCode.CROWDED
    faces.phone(code)
    first.leave()

    def comes_in() -> bool:
        face = faces.open("display").say("display.join", code=code)
        told = face.hear_until(lambda message: message["type"] in {"display.welcomed", "retry.told"})
        return bool(told["type"] == "display.welcomed")

    wait_until(comes_in)


@pytest.mark.usefixtures("stage", "harmless")
def test_a_phone_joins_and_is_told_its_seat_the_state_and_the_time(stage: Stage, faces: Faces) -> None:
    _, welcome = faces.phone(stage.code.lower())
    assert set(welcome) == {"type", "now_at", "seq", "you", "state"}
    assert welcome["you"]["team"] in (1, 2)
    assert welcome["you"]["token"]
    state = welcome["state"]
    assert (state["code"], state["match"]["turn"]["id"]) == (stage.code, stage.turn)
    assert state["match"]["turn"]["opens_at"] < welcome["now_at"] < state["match"]["turn"]["closes_at"]


def test_newcomers_are_spread_over_both_teams_and_no_wish_changes_that(house: House, faces: Faces) -> None:
    code = event(house, lobby="open")
    teams = [faces.phone(code, team=1)[1]["you"]["team"] for _ in range(6)]
    assert sorted(teams) == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("choice", ["choose", "link"])
def test_where_teams_are_chosen_a_phone_says_which(choice: str, house: House, faces: Faces) -> None:
    code = event(house, lobby="open", team_choice=choice)
    face = faces.open("phone").say("phone.join", code=code)
    told = face.hear("error.told", code="team_needed")
    assert [team["name"] for team in told["event"]["teams"]] == ["Rooks", "Doves"]
    face.say("phone.join", code=code, team=2)
    assert face.hear("phone.welcomed")["you"]["team"] == 2
    assert [faces.phone(code, team=2)[1]["you"]["team"] for _ in range(3)] == [2, 2, 2]


def test_behind_closed_doors_nobody_joins_until_they_open(house: House, faces: Faces) -> None:
    made = house.ask("event")
    face = faces.open("phone").say("phone.join", code=made["code"])
    assert face.hear("error.told")["code"] == "lobby_closed"
    console = faces.console(made["code"], house.ask("session", name="olga"))
    console.hear("console.welcomed")
    console.say("action.ask", id=1, action="lobby.open")
    console.hear("action.done", id=1)
    assert face.hear("lobby.opened")["state"]["lobby"] == "open"
    assert face.say("phone.join", code=made["code"]).hear("phone.welcomed")["you"]["team"] == 1


def test_the_time_is_told_right_before_anybody_has_joined(house: House, faces: Faces) -> None:
    face = faces.open("phone").say("clock.ask", sent=1)
    assert abs(face.hear("clock.told", sent=1)["now_at"] - time.time() * 1000) < 1_000


def test_behind_locked_doors_only_those_with_a_seat_come_in(house: House, faces: Faces) -> None:
    made = house.ask("event", lobby="open")
    phone, welcome = faces.phone(made["code"])
    console = faces.console(made["code"], house.ask("session", name="olga"))
    console.hear("console.welcomed")
    console.say("action.ask", id=1, action="joining.lock")
    assert phone.hear("joining.locked")["state"]["lobby"] == "locked"
    stranger = faces.open("phone").say("phone.join", code=made["code"])
    assert stranger.hear("error.told")["code"] == "joining_locked"
    _, again = faces.phone(made["code"], token=welcome["you"]["token"])
    assert again["you"]["team"] == welcome["you"]["team"]


@pytest.mark.usefixtures("stage", "harmless")
def test_a_display_is_told_how_to_join(stage: Stage, house: House, faces: Faces) -> None:
    _, welcome = faces.display(stage.code)
    assert welcome["join_url"] == f"{house.http}/{stage.code}"
    rows = welcome["qr"]
    assert len(rows) >= 21
    assert {len(row) for row in rows} == {len(rows)}
    assert set("".join(rows)) == {"0", "1"}
    assert rows[0][:8] == "11111110"
    assert "you" not in welcome


def test_the_time_is_told_before_and_after_joining(stage: Stage, faces: Faces) -> None:
    face = faces.open("phone").say("clock.ask", sent=12.5)
    first = face.hear("clock.told", sent=12.5)
    face.say("phone.join", code=stage.code)
    welcome = face.hear("phone.welcomed")
    face.say("clock.ask", sent=13)
    later = face.hear("clock.told", sent=13.0)
    assert first["now_at"] > 0
    assert welcome["now_at"] <= later["now_at"] <= welcome["now_at"] + 60_000


# ------------------------------------------------------------------ voting
@pytest.mark.usefixtures("stage", "harmless")
def test_a_vote_counts_changes_and_survives_a_refresh(stage: Stage, faces: Faces) -> None:
    phone, welcome = faces.phone(stage.code)
    assert (welcome["you"]["column"], welcome["you"]["sequence"]) == (None, 0)
    assert vote(phone, stage.turn, 4)["column"] == 4
    assert vote(phone, stage.turn, 4)["column"] == 4
    assert vote(phone, stage.turn, 6, 2)["column"] == 6
    phone.leave()
    _, again = faces.phone(stage.code, token=welcome["you"]["token"])
    blind = again["you"]["blind"]
    assert len(bytes.fromhex(blind)) == 16
    assert again["you"] == welcome["you"] | {"turn": stage.turn, "column": 6, "sequence": 2, "blind": blind}


def test_two_sockets_with_one_token_are_one_voter(house: House, faces: Faces) -> None:
    made = house.ask("event", window_s=600, lobby="open")
    turn = house.ask("play_to", event_id=made["id"], picks=[])
    first, welcome = faces.phone(made["code"])
    second, _ = faces.phone(made["code"], token=welcome["you"]["token"])
    vote(first, turn, 2, 1)
    vote(second, turn, 3, 2)
    display, _ = faces.display(made["code"])
    team = welcome["you"]["team"] - 1
    told = display.hear_until(lambda m: m["type"] == "turnout.counted" and sum(m["voted"]))
    assert (told["connected"][team], told["voted"][team]) == (1, 1)
    assert (told["connected"][1 - team], told["voted"][1 - team]) == (0, 0)
    assert refusal(first, **cast(turn, 2, 1)) == "stale"


@pytest.mark.usefixtures("stage", "harmless")
@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"column": 1}, "illegal"),
        ({"column": 8}, "illegal"),
        ({"column": 255}, "illegal"),
        ({"turn": 1}, "no_such_turn"),
        ({"turn": 2**53 - 1}, "no_such_turn"),
        ({"epoch": 2}, "unknown"),
        ({"epoch": 2**31 - 1}, "unknown"),
    ],
)
def test_a_ballot_that_cannot_count_is_refused(
    wrong: dict[str, int], code: str, stage: Stage, faces: Faces
) -> None:
    phone, welcome = faces.phone(stage.code)
    if wrong.get("turn") == 1:
        wrong = {"turn": stage.turn - 1}
    assert refusal(phone, **cast(stage.turn) | wrong) == code
    _, again = faces.phone(stage.code, token=welcome["you"]["token"])
    assert again["you"]["column"] is None


@pytest.mark.usefixtures("stage", "harmless")
def test_an_old_choice_is_told_the_newer_sequence(stage: Stage, faces: Faces) -> None:
    phone, _ = faces.phone(stage.code)
    vote(phone, stage.turn, 4, 7)
    phone.say("ballot.cast", **cast(stage.turn, 5, 6))
    told = phone.hear("ballot.refused", sequence=6)
    assert (told["code"], told["last"]) == ("stale", 7)


def test_before_its_opening_and_after_its_deadline_a_ballot_does_not_count(
    house: House, faces: Faces
) -> None:
    made = house.ask("event", window_s=600, reveal_s=600, lobby="open")
    turn = house.ask("play_to", event_id=made["id"], picks=[])
    phone, _ = faces.phone(made["code"])
    console = faces.console(made["code"], house.ask("session", name="olga"))
    console.hear("console.welcomed")
    console.say("action.ask", id=1, action="turn.pause", turn=turn)
    phone.hear("turn.paused")
    assert refusal(phone, **cast(turn)) == "late"
    console.say("action.ask", id=2, action="turn.close", turn=turn)
    revealed = phone.hear("turn.revealed")
    assert revealed["state"]["match"]["reveal"]["turn"] == turn
    assert refusal(phone, **cast(turn)) == "no_such_turn"
    following = revealed["state"]["match"]["turn"]["id"]
    assert refusal(phone, **cast(following)) == "early"  # though the box may not have it yet


def test_who_is_not_to_move_does_not_vote(house: House, faces: Faces) -> None:
    made = house.ask(
        "event",
        game="captains-mistress",
        options={"first": "red"},
        window_s=600,
        lobby="open",
        team_choice="choose",
    )
    turn = house.ask("play_to", event_id=made["id"], picks=[])
    assert vote(faces.phone(made["code"], team=1)[0], turn)
    assert refusal(faces.phone(made["code"], team=2)[0], **cast(turn)) == "not_to_move"


def test_ballots_of_a_long_window_are_in_the_database_once_they_count(house: House, faces: Faces) -> None:
    made = house.ask("event", window_s=LONG_S, lobby="open", team_choice="choose")
    turn = house.ask("closing_in", event_id=made["id"], ms=LONG_S * 1000)
    phone, _ = faces.phone(made["code"], team=2)
    for sequence, column in ((1, 3), (2, 5)):
        vote(phone, turn, column, sequence)
        stored = house.rows(
            'SELECT side, "column", sequence FROM voting_storedballot WHERE turn_id = ?', turn
        )
        assert stored == [("yellow", column, sequence)]


def test_a_deadline_closes_the_turn_by_the_worker_and_everyone_hears_the_same(
    house: House, faces: Faces
) -> None:
    made = house.ask("event", window_s=600, lobby="open", team_choice="choose")
    turn = house.ask("play_to", event_id=made["id"], picks=[])
    red, _ = faces.phone(made["code"], team=1)
    yellow, _ = faces.phone(made["code"], team=2)
    display, _ = faces.display(made["code"])
    vote(red, turn, 3)
    vote(yellow, turn, 3)
    house.ask("closing_in", event_id=made["id"], ms=300)
    told = [face.hear("turn.revealed") for face in (red, yellow, display)]
    assert told[0] == told[1] == told[2]
    reveal = told[0]["state"]["match"]["reveal"]
    assert (reveal["turn"], reveal["resolution"]["conflict"]) == (turn, 3)
    assert reveal["red"]["counts"] == reveal["yellow"]["counts"] == [0, 0, 1, 0, 0, 0, 0]
    seqs = [message["seq"] for message in display.heard if "seq" in message]
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
    assert f"no worker closed turn {turn} " not in house.log("clock-1") + house.log("clock-2")


def test_when_all_who_are_connected_have_voted_an_early_close_ends_the_turn(
    house: House, faces: Faces
) -> None:
    made = house.ask("event", window_s=600, lobby="open", close_early=True)
    turn = house.ask("play_to", event_id=made["id"], picks=[])
    phones = [faces.phone(made["code"])[0] for _ in range(2)]
    vote(phones[0], turn, 2)
    assert not any(message["type"] == "turn.revealed" for message in phones[0].heard)
    vote(phones[1], turn, 6)
    reveal = phones[0].hear("turn.revealed")["state"]["match"]["reveal"]
    assert (reveal["red"]["ballots"], reveal["yellow"]["ballots"]) == (1, 1)


# ------------------------------------------------------------------ secrecy
def test_what_others_hear_of_a_vote_does_not_depend_on_its_column(house: House, faces: Faces) -> None:
    heard = []
    for column in (2, 7):
        made = house.ask("event", window_s=600, lobby="open", team_choice="choose")
        turn = house.ask("play_to", event_id=made["id"], picks=[])
        voter, _ = faces.phone(made["code"], team=1)
        others = [faces.phone(made["code"], team=2)[0], faces.phone(made["code"], team=1)[0]]
        display, _ = faces.display(made["code"])
        vote(voter, turn, column)
        display.hear("turnout.counted", turn=turn, voted=[1, 0])
        later, _ = faces.display(made["code"])
        told = [message for face in (*others, display, later) for message in face.heard]
        assert {message["type"] for message in told} <= {
            "phone.welcomed",
            "display.welcomed",
            "turnout.counted",
        }
        heard.append([_without_names(message, made, turn) for message in told])
    assert _kinds(heard[0]) == _kinds(heard[1])


def _kinds(told: list[Message]) -> set[str]:
    """Turnouts may be heard on their way up, more or less of them."""
    final = [message for message in told if message["type"] != "turnout.counted" or sum(message["voted"])]
    return {json.dumps(message, sort_keys=True) for message in final}


def _without_names(message: Message, made: dict[str, Any], turn: int) -> Message:
    """But for ids, times, tokens and lots, which differ between any two events."""
    text = json.dumps(message).replace(made["code"], "CODE")
    told: Message = json.loads(text)
    told.pop("now_at", None)
    told.pop("qr", None)
    told.get("you", {}).pop("token", None)
    match = told.get("state", {}).get("match")
    if match:
        match["id"] = 0
        match["turn"] |= {"id": 0, "opens_at": 0, "closes_at": 0, "lot": ""}
    if "turn" in told:
        told["turn"] = told["turn"] == turn
    return told


# ------------------------------------------------------------------ bad input
@pytest.mark.usefixtures("stage", "harmless")
@pytest.mark.parametrize("face", ["phone", "display"])
@pytest.mark.parametrize("code", ["ZZZZ", "zzzz-no-such-16", "\0\0\0\0", "' OR 1=1 --", "ß"])
def test_an_unknown_code_is_told_to_stay_away(face: str, code: str, faces: Faces) -> None:
    assert faces.open(face).say(f"{face}.join", code=code).closed() == CloseCode.NO_SUCH_EVENT


@pytest.fixture(scope="module")
def other_code(house: House) -> str:
    return event(house, lobby="open")


@pytest.mark.usefixtures("stage", "other_code", "harmless")
def test_a_forged_or_foreign_token_is_told_to_stay_away(stage: Stage, other_code: str, faces: Faces) -> None:
    _, here = faces.phone(stage.code)
    _, elsewhere = faces.phone(other_code)
    token = here["you"]["token"]
    event_id, voter, rest = token.split(".")
    team, signature = rest.split(":")
    for forged in [
        elsewhere["you"]["token"],
        f"{event_id}.{voter}.{3 - int(team)}:{signature}",
        f"{event_id}.{voter}.{team}",
        token[:-2],
        "x",
        "é" * 100,
    ]:
        face = faces.open("phone").say("phone.join", code=stage.code, token=forged)
        assert face.closed() == CloseCode.BAD_TOKEN


MALFORMED = [
    "",
    "null",
    "[]",
    "{",
    '"phone.join"',
    "{}",
    '{"type": 1}',
    '{"type": "phone.leave"}',
    '{"type": "phone.join"}',
    '{"type": "phone.join", "code": ""}',
    '{"type": "phone.join", "code": "12345678901234567"}',
    '{"type": "phone.join", "code": "ABCD", "team": 3}',
    '{"type": "clock.ask", "sent": -1}',
    '{"type": "clock.ask", "sent": 1e400}',
    '{"type": "clock.ask", "sent": NaN}',
    '{"type": "ballot.cast"}',
    '{"type": "ballot.cast", "turn": 0, "epoch": 1, "column": 1, "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "column": 0, "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "column": 256, "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "column": 1, "sequence": 2147483648}',
    '{"type": "ballot.cast", "turn": 1, "epoch": 1, "column": "1 HGETALL", "sequence": 1}',
    '{"type": "ballot.cast", "turn": 1.5, "epoch": 1, "column": 1, "sequence": 1}',
    '{"type": "phone.join", "code": "\\ud800"}',
    "[" * 2000,
    '{"a":' * 400,
]


@pytest.mark.usefixtures("stage", "harmless")
def test_a_malformed_frame_is_answered_and_the_socket_goes_on(stage: Stage, faces: Faces) -> None:
    for joined in (False, True):
        for frames in (MALFORMED[:12], MALFORMED[12:]):
            face = faces.open("phone")
            if joined:
                face.say("phone.join", code=stage.code).hear("phone.welcomed")
            for frame in frames:
                face.send(frame)
                assert face.hear("error.told")["code"] == "malformed", frame
            face.say("clock.ask", sent=1)
            assert face.hear("clock.told")


@pytest.mark.usefixtures("stage", "harmless")
@pytest.mark.parametrize("face", ["phone", "display"])
def test_a_face_joins_first_and_once(face: str, stage: Stage, faces: Faces) -> None:
    early = faces.open("phone").say("ballot.cast", **cast(stage.turn))
    assert early.hear("error.told")["code"] == "not_joined"
    joined = faces.open(face).say(f"{face}.join", code=stage.code)
    joined.hear(f"{face}.welcomed")
    joined.say(f"{face}.join", code=stage.code)
    assert joined.hear("error.told")["code"] == "joined_already"


@pytest.mark.usefixtures("stage", "harmless")
def test_a_display_does_not_vote_and_a_phone_does_not_command(stage: Stage, faces: Faces) -> None:
    display, _ = faces.display(stage.code)
    display.say("ballot.cast", **cast(stage.turn))
    assert display.hear("error.told")["code"] == "malformed"
    for face in (display, faces.phone(stage.code)[0]):
        face.say("action.ask", id=1, action="match.abort")
        assert face.hear("error.told")["code"] == "malformed"


@pytest.mark.usefixtures("stage", "harmless")
@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\x00\x01", CloseCode.BAD_FRAME),
        (b'{"type":"clock.ask","sent":1}', CloseCode.BAD_FRAME),
        ("x" * (MAX_FRAME_BYTES + 1), CloseCode.FRAME_TOO_LARGE),
        ("é" * (MAX_FRAME_BYTES // 2 + 1), CloseCode.FRAME_TOO_LARGE),
        ("x" * 500_000, CloseCode.FRAME_TOO_LARGE),
    ],
    ids=["binary", "binary JSON", "one byte too long", "too long in bytes", "huge"],
)
def test_a_frame_that_no_face_sends_ends_the_socket(
    frame: str | bytes, code: int, joined: bool, stage: Stage, faces: Faces
) -> None:
    face = faces.phone(stage.code)[0] if joined else faces.open("phone")
    assert face.send(frame).closed() == code


@pytest.mark.usefixtures("stage", "harmless")
def test_a_frame_of_megabytes_is_not_even_read_to_its_end(stage: Stage, faces: Faces) -> None:
    face = faces.phone(stage.code)[0]
    assert face.send("x" * 3_000_000).closed() in {ABNORMAL, CloseCode.FRAME_TOO_LARGE}
    assert vote(faces.phone(stage.code)[0], stage.turn)


def test_a_frame_as_long_as_may_be_is_read(faces: Faces) -> None:
    face = faces.open("phone").send("x" * MAX_FRAME_BYTES)
    assert face.hear("error.told")["code"] == "malformed"


@pytest.mark.usefixtures("stage", "harmless")
@pytest.mark.parametrize("joined", [False, True])
def test_a_flood_is_cut_off_and_others_are_served(joined: bool, stage: Stage, faces: Faces) -> None:
    face = faces.phone(stage.code)[0] if joined else faces.open("phone")
    with suppress(ConnectionClosed):  # before all were sent
        for number in range(100):
            face.socket.send(json.dumps({"type": "clock.ask", "sent": number}))
    assert face.closed() in {CloseCode.TOO_MANY_FRAMES, ABNORMAL}
    assert sum(message["type"] == "clock.told" for message in face.heard) < 40
    assert vote(faces.phone(stage.code)[0], stage.turn)


@pytest.mark.usefixtures("stage", "harmless")
@pytest.mark.parametrize("path", ["nowhere", "phone/", "../admin/"])
def test_where_there_is_no_socket_there_is_none(path: str, faces: Faces) -> None:
    with pytest.raises(Exception, match=r"HTTP 40[34]"):
        faces.open(path)
