"""People are moved, sent out, kept out and let in again at a running house; one voter has one vote."""

from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.deploy.processes import wait_until
from tests.faces import Face, Faces, Message
from tests.stack import House
from tests.voting.consoles import console, cookie, deeds_told, done, made, refused
from tests.voting.stage import cast, refusal, vote
from voting.protocol import CloseCode

__all__ = ["console", "cookie", "made"]


@pytest.fixture
def turn(made: dict[str, Any], house: House, console: Face) -> int:
    done(console, 1, "lobby.open")
    return int(house.ask("play_to", event_id=made["id"], picks=[]))


def comes(faces: Faces, made: dict[str, Any], turn: int, token: str | None = None) -> tuple[Face, Message]:
    """Its gateway has heard of the turn."""
    phone, welcome = faces.phone(made["code"], token=token)
    state = welcome["state"]
    while not (state["match"] and state["match"]["turn"] and state["match"]["turn"]["id"] == turn):
        state = phone.hear_until(lambda told: "state" in told)["state"]
    return phone, welcome["you"]


def is_let_in(faces: Faces, team: int, **join: Any) -> bool:
    """Whether its gateway has heard of that, and into this team: it is told, and not asked."""
    face = faces.open("phone").say("phone.join", **join)
    try:
        return bool(face.hear("phone.welcomed")["you"]["team"] == team)
    except ConnectionClosed:
        return False


def counts(house: House, console: Face, phone: Face, turn: int) -> list[list[int]]:
    done(console, 99, "turn.close", turn=turn)
    reveal = phone.hear("turn.revealed")["state"]["match"]["reveal"]
    return [reveal[side]["counts"] for side in ("red", "yellow")]


def test_a_moved_phone_is_welcomed_anew_and_its_next_ballot_counts_for_the_new_team(
    made: dict[str, Any], turn: int, console: Face, house: House, faces: Faces
) -> None:
    phone, you = comes(faces, made, turn)
    other = 3 - you["team"]
    vote(phone, turn, column=3)
    done(console, 2, "voter.move", sign=you["sign"], team=other)
    moved = phone.hear("phone.welcomed")["you"]
    assert (moved["team"], moved["sign"], moved["column"]) == (other, you["sign"], None)
    assert refusal(phone, **cast(turn, column=3, sequence=1)) == "stale"
    vote(phone, turn, column=5, sequence=2)
    assert house.ask("voters_in_box", event_id=made["id"], turn_id=turn) == [you["token"].split(".")[1]]
    sides = counts(house, console, phone, turn)
    assert sides[other - 1][4] == 1
    assert sum(map(sum, sides)) == 1


def test_who_is_moved_and_votes_no_more_has_voted_for_the_team_of_before(
    made: dict[str, Any], turn: int, console: Face, house: House, faces: Faces
) -> None:
    phone, you = comes(faces, made, turn)
    vote(phone, turn, column=3)
    done(console, 2, "voter.move", sign=you["sign"], team=3 - you["team"])
    phone.hear("phone.welcomed")
    again, back = comes(faces, made, turn, you["token"])
    assert (back["team"], back["turn"], back["column"], back["sequence"]) == (3 - you["team"], turn, None, 1)
    sides = counts(house, console, again, turn)
    assert sides[you["team"] - 1][2] == 1
    assert sum(map(sum, sides)) == 1


def test_back_and_forth_a_voter_on_two_devices_has_one_vote(
    made: dict[str, Any], turn: int, console: Face, house: House, faces: Faces
) -> None:
    one, you = comes(faces, made, turn)
    two, _ = comes(faces, made, turn, you["token"])
    sequence = 0
    for number, team in enumerate((3 - you["team"], None, 3 - you["team"], you["team"], 3 - you["team"]), 2):
        for device in (one, two):
            sequence += 1
            vote(device, turn, column=1 + sequence % 7, sequence=sequence)
        done(console, number, "voter.move", sign=you["sign"], team=team)
        for device in (one, two):
            assert device.hear("phone.welcomed")["you"]["team"] == (team or you["team"])
    assert house.ask("voters_in_box", event_id=made["id"], turn_id=turn) == [you["token"].split(".")[1]]
    vote(two, turn, column=2, sequence=sequence + 1)
    sides = counts(house, console, one, turn)
    assert sides[2 - you["team"]][1] == 1
    assert sum(map(sum, sides)) == 1


def test_who_is_sent_out_may_come_in_again(
    made: dict[str, Any], turn: int, console: Face, faces: Faces
) -> None:
    phone, you = comes(faces, made, turn)
    stays, _ = comes(faces, made, turn)
    done(console, 2, "voter.dismiss", sign=you["sign"].lower())
    assert phone.closed() == CloseCode.SENT_OUT
    back, again = comes(faces, made, turn, you["token"])
    assert (again["team"], again["sign"]) == (you["team"], you["sign"])
    vote(back, turn)
    vote(stays, turn)


def test_who_is_kept_out_stays_out_until_let_in_again_and_the_ballot_before_counts(
    made: dict[str, Any], turn: int, console: Face, house: House, faces: Faces
) -> None:
    phone, you = comes(faces, made, turn)
    vote(phone, turn, column=3)
    done(console, 2, "voter.ban", sign=you["sign"])
    assert phone.closed() == CloseCode.KEPT_OUT
    for _ in range(2):
        assert faces.open("phone").say("phone.join", code=made["code"], token=you["token"]).closed() == 4507
    assert refused(house, console, 3, "voter.ban", sign=you["sign"]) == "It is so already."
    newcomer, _ = comes(faces, made, turn)
    done(console, 4, "voter.admit", sign=you["sign"])
    wait_until(lambda: is_let_in(faces, you["team"], code=made["code"], token=you["token"]))
    _, again = comes(faces, made, turn, you["token"])
    assert (again["column"], again["team"]) == (3, you["team"])
    assert sum(map(sum, counts(house, console, newcomer, turn))) == 1
    assert [deed["what"] for deed in deeds_told(console, 4)][1:3] == [
        f"kept {you['sign']} out, if anybody here has that sign",
        f"let {you['sign']} in again",
    ]


def test_a_pupil_is_found_by_name_and_kept_out_before_and_after_showing_the_code(
    made: dict[str, Any], console: Face, house: House, faces: Faces
) -> None:
    event = house.ask("event", lobby="open", admission="roster")
    ann, ben = house.ask("roster", event_id=event["id"], text="Ann, Rooks\nBen, Rooks")
    room = faces.console(event["code"], house.ask("session", name="olga"))
    room.hear("console.welcomed")
    room.say("people.ask", query="an")
    (person,) = room.hear("people.told", query="an")["people"]
    assert (person["name"], person["team"], person["moved"], person["banned"]) == ("Ann", 1, None, False)
    done(room, 1, "voter.ban", sign=person["sign"])
    assert faces.open("phone").say("phone.join", code=event["code"], key=ann).closed() == CloseCode.KEPT_OUT
    used = house.rows("SELECT used_at FROM voting_ticket WHERE event_id = ? AND code = ?", event["id"], ann)
    done(room, 2, "voter.admit", sign=person["sign"])
    done(room, 3, "voter.move", sign=person["sign"], team=2)
    wait_until(lambda: is_let_in(faces, 2, code=event["code"], key=ann))
    _, welcome = faces.phone(event["code"], key=ann)
    assert (welcome["you"]["team"], welcome["you"]["sign"]) == (2, person["sign"])
    _, other = faces.phone(event["code"], key=ben)
    assert other["you"]["team"] == 1
    assert used[0][0] is None or welcome["you"]["sign"] == person["sign"]
    room.say("people.ask", query="")
    assert [one["moved"] for one in room.hear("people.told", query="")["people"]] == [2, None]


def test_a_viewer_is_told_of_nobody(house: House, faces: Faces) -> None:
    event = house.ask("event", lobby="open", admission="roster")
    house.ask("roster", event_id=event["id"], text="Ann")
    house.ask("member", event_id=event["id"], name="looker", role="viewer")
    room = faces.console(event["code"], house.ask("session", name="looker"))
    room.hear("console.welcomed")
    room.say("people.ask", query="Ann")
    assert room.hear("people.told")["people"] == []
    assert refused(house, room, 1, "voter.ban", sign="BCDFGH") == "You may not do this."
