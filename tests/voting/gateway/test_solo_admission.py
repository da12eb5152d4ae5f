"""A team of one voter: only its ticket leads into it, and whoever else comes is in the other team."""

from typing import Any

from tests.faces import Face, Faces
from tests.stack import House

BALLOT = {"epoch": 1, "sequence": 1}


def team_of(face: Face) -> int:
    return int(face.receive("phone.welcomed")["you"]["team"])


def join(faces: Faces, game: dict[str, Any], **shown: Any) -> Face:
    return faces.open("phone").say("phone.join", code=game["code"], **shown)


def test_a_ticket_leads_into_it_on_every_device_and_nothing_else_does(house: House, faces: Faces) -> None:
    game = house.ask("against_crowd", begun=False)
    solo, others = game["place"], 3 - game["place"]
    came = [team_of(join(faces, game, team=wish)) for wish in (None, solo, others, None)]
    assert came == [others] * 4
    join(faces, game, key="BBBBBB").receive("error", code="key_wrong")
    mine = [join(faces, game, key=game["key"]).receive("phone.welcomed")["you"] for _ in range(2)]
    assert [you["team"] for you in mine] == [solo, solo]
    assert len({you["voter_code"] for you in mine}) == 1
    assert team_of(join(faces, game, token=mine[0]["token"])) == solo


def test_one_ballot_against_many(house: House, faces: Faces) -> None:
    game = house.ask("against_crowd")
    sides = ["red", "yellow"] if game["place"] == 1 else ["yellow", "red"]
    one, welcome = faces.phone(game["code"], key=game["key"])
    turn = welcome["state"]["match"]["turn"]
    house.ask("open_at_once", event_id=game["id"])
    crowd = [faces.phone(game["code"])[0] for _ in range(3)]
    for face, choice in zip((one, *crowd), (4, 2, 2, 5), strict=True):
        face.say("ballot.cast", turn=turn["id"], choice=choice, **BALLOT)
        face.receive("ballot.counted", choice=choice)
    reveal = one.receive("turn.revealed")["state"]["match"]["reveal"]
    assert [(reveal[side]["pick"], reveal[side]["ballots"]) for side in sides] == [(4, 1), (2, 3)]


def test_who_looks_on_is_counted_and_told(house: House, faces: Faces) -> None:
    game = house.ask("against_crowd")
    one, _ = faces.phone(game["code"], key=game["key"])
    displays = [faces.display(game["code"])[0] for _ in range(3)]
    for face in (one, displays[0]):
        face.receive("turnout.counted", watching=3)
    displays.pop().leave()
    displays[0].receive("turnout.counted", watching=2)


def test_who_finds_both_seats_taken_looks_on(house: House, faces: Faces) -> None:
    duel = house.ask("duel")
    display, _ = faces.display(duel["code"])
    faces.open("phone").say("phone.join", code=duel["code"]).receive("error", code="key_needed")
    display.receive("turnout.counted", watching=2)
