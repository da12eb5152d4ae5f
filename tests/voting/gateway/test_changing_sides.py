"""A voter changes sides at a running house: every socket of that voter hears of it, and nobody else's."""

from tests.faces import Face, Faces
from tests.stack import House


def second_turn(house: House, faces: Faces, event: int, code: str) -> tuple[Face, Face, str, int]:
    """A phone a team after the first reveal, a long time before the next window."""
    (one, welcome), (two, _) = (faces.phone(code, team=team) for team in (1, 2))
    house.ask("begin", event_id=event)
    house.ask("open_at_once", event_id=event)
    for face in (one, two):
        turn = face.receive("turn.moved")["state"]["match"]["turn"]["id"]
        face.say("ballot.cast", turn=turn, epoch=1, choice=3, sequence=1).receive("ballot.counted")
    revealed = one.receive("turn.revealed")
    return one, two, welcome["you"]["token"], revealed["state"]["match"]["turn"]["id"]


def test_every_socket_of_a_voter_hears_of_one_change(house: House, faces: Faces) -> None:
    terms = {"max_side_changes": 1, "window_s": 60, "reveal_s": 120, "close_early": True}
    made = house.ask("event", lobby="open", team_choice="choose", **terms)
    one, two, token, turn = second_turn(house, faces, made["id"], made["code"])
    again, welcome = faces.phone(made["code"], token=token)
    assert welcome["you"]["side_changes"] == []
    for socket in (one, again):
        socket.say("side.change", turn=turn, number=1, team=2)
        socket.say("side.change", turn=turn, number=2, team=1)
    for socket in (one, again):
        assert len(socket.receive("side.changed")["side_changes"]) == 1
        assert socket.receive("side.refused")["code"] == "used_up"
    _, welcome = faces.phone(made["code"], token=token)
    assert (welcome["you"]["team"], welcome["you"]["side_changes"]) == (1, [{"turn": 2, "team": 2}])
    two.say("side.change", turn=turn, number=1, team=2)
    assert two.receive("side.refused")["code"] == "same_side"
    assert not any(message["type"] == "side.changed" for message in two.received)
    changed = "SELECT d.turn, d.side FROM voting_storedsidechange d JOIN games_match m ON m.id = d.match_id"
    assert house.rows(f"{changed} WHERE m.event_id = ?", made["id"]) == [(2, "yellow")]


def test_who_changed_over_after_a_turn_that_is_taken_back_is_told_since_when(
    house: House, faces: Faces
) -> None:
    """It counts before that turn now: by the old number a phone would give points for the wrong side."""
    terms = {"max_side_changes": 1, "window_s": 60, "reveal_s": 120, "close_early": True}
    made = house.ask("event", lobby="open", team_choice="choose", **terms)
    one, _, token, turn = second_turn(house, faces, made["id"], made["code"])
    one.say("side.change", turn=turn, number=1, team=2)
    assert one.receive("side.changed")["side_changes"] == [{"turn": 2, "team": 2}]
    house.ask("void", event_id=made["id"])
    assert one.receive("side.changed", side_changes=[{"turn": 1, "team": 2}])
    _, welcome = faces.phone(made["code"], token=token)
    assert welcome["you"]["side_changes"] == [{"turn": 1, "team": 2}]
