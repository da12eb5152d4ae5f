"""One voter against the crowd: only the ticket admits to the solo team, everyone else joins the other."""

from typing import Any

from tests.server import Server
from tests.socket_clients import Face, Faces

BALLOT = {"epoch": 1, "sequence": 1}


def team_of(face: Face) -> int:
    return int(face.receive("phone.welcomed")["you"]["team"])


def join(faces: Faces, game: dict[str, Any], **fields: Any) -> Face:
    return faces.open("phone").say("phone.join", code=game["code"], **fields)


def test_solo_team_admits_ticket_holder_only(server: Server, faces: Faces) -> None:
    game = server.ask("against_crowd", begun=False)
    solo, others = game["place"], 3 - game["place"]
    joined = [team_of(join(faces, game, team=wish)) for wish in (None, solo, others, None)]
    assert joined == [others] * 4
    join(faces, game, key="BBBBBB").receive("error", code="key_wrong")
    solo_seats = [join(faces, game, key=game["key"]).receive("phone.welcomed")["you"] for _ in range(2)]
    assert [you["team"] for you in solo_seats] == [solo, solo]
    assert len({you["voter_code"] for you in solo_seats}) == 1
    assert team_of(join(faces, game, token=solo_seats[0]["token"])) == solo


def test_solo_ballot_decides_against_crowd(server: Server, faces: Faces) -> None:
    game = server.ask("against_crowd")
    sides = ["red", "yellow"] if game["place"] == 1 else ["yellow", "red"]
    solo_phone, welcome = faces.phone(game["code"], key=game["key"])
    turn = welcome["state"]["match"]["turn"]
    server.ask("open_at_once", event_id=game["id"])
    crowd = [faces.phone(game["code"])[0] for _ in range(3)]
    for face, choice in zip((solo_phone, *crowd), (4, 2, 2, 5), strict=True):
        face.say("ballot.cast", turn=turn["id"], choice=choice, **BALLOT)
        face.receive("ballot.counted", choice=choice)
    reveal = solo_phone.receive("turn.revealed")["state"]["match"]["reveal"]
    assert [(reveal[side]["pick"], reveal[side]["ballots"]) for side in sides] == [(4, 1), (2, 3)]


def test_turnout_counts_watching_displays(server: Server, faces: Faces) -> None:
    game = server.ask("against_crowd")
    solo_phone, _ = faces.phone(game["code"], key=game["key"])
    displays = [faces.display(game["code"])[0] for _ in range(3)]
    for face in (solo_phone, displays[0]):
        face.receive("turnout.counted", watching=3)
    displays.pop().leave()
    displays[0].receive("turnout.counted", watching=2)


def test_refused_duel_visitor_counts_as_watching(server: Server, faces: Faces) -> None:
    duel = server.ask("duel")
    display, _ = faces.display(duel["code"])
    faces.open("phone").say("phone.join", code=duel["code"]).receive("error", code="key_needed")
    display.receive("turnout.counted", watching=2)
