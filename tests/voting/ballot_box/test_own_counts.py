"""Each team's own votes so far, for its phones, in an event where everybody is told so."""

import asyncio
from typing import Any

import msgspec
import pytest

from games.models import Event
from tests.faces import Face, Faces
from tests.stack import House
from tests.voting.calls import CountingBox
from tests.voting.playing import CLASSIC, open_now, run_out, start, vote
from tests.voting.rooms import Ear, latest, room_of, voter
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import BoxClock
from voting.counting.choices import RESIGN, ranking_of, set_of
from voting.gateway.event_room import Room
from voting.gateway.presence import Presence
from voting.turns.closing import close_turn

TERMS = {"window_s": 600, "lobby": "open", "team_choice": "choose", "own_counts": True}


def counts(ear: Ear) -> list[list[int]]:
    told = (msgspec.json.decode(frame) for frame in ear.frames)
    return [message["counts"] for message in told if message["type"] == "team.counted"]


def beat(room: Room, *, teams: bool = True) -> list[str]:
    """The scripts that were called for it."""

    async def once() -> list[str]:
        box = CountingBox()
        await Presence("a", box, BoxClock()).tell(room, phones=False, teams=teams)
        await box.close()
        return box.called

    return asyncio.run(once())


# ------------------------------------------------------------------ in a room
@pytest.mark.django_db
def test_each_team_hears_its_own_votes_while_they_change(box: BallotBox) -> None:
    turn = start(box, own_counts=True)
    ears = [voter("a", 1), voter("b", 1), voter("c", 2)]
    screen, desk, stranger = Ear(), Ear(), Ear()
    room = room_of(turn.match.event_id, screen, desk, *ears)
    room.consoles.add(desk)
    room.let_wait(stranger)
    assert "peek" not in beat(room), "its window is not open"
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    vote(turn, box, red=[3, 3], yellow=[7])
    assert beat(room).count("peek") == 1
    beat(room)
    vote(turn, box, red=[3, 3, 1])
    assert "peek" not in beat(room, teams=False)
    beat(room)
    reds = [[0, 0, 2, 0, 0, 0, 0], [1, 0, 2, 0, 0, 0, 0]]
    assert [counts(ear) for ear in ears] == [reds, reds, [[0, 0, 0, 0, 0, 0, 1]]]
    for other in (screen, desk, stranger):
        assert counts(other) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "cast", "stands"),
    [
        ("approval", [set_of([1, 7]), set_of([1, 2]), RESIGN + 1], [3, 1, 0, 0, 0, 0, 1]),
        ("instant_runoff", [ranking_of([7, 1, 2]), 7, RESIGN + ranking_of([2, 7])], [0, 1, 0, 0, 0, 0, 2]),
    ],
)
def test_sets_count_whole_and_rankings_by_their_first_choice(
    method: str, cast: list[int], stands: list[int], box: BallotBox
) -> None:
    turn = start(box, own_counts=True, tally_method=method, resign="half")
    ear = voter("a", 1)
    room = room_of(turn.match.event_id, ear)
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    vote(turn, box, red=cast)
    beat(room)
    assert counts(ear) == [stands]


@pytest.mark.django_db
def test_one_reading_serves_control_rooms_and_teams(box: BallotBox) -> None:
    turn = start(box, own_counts=True, peek=True)
    desk, phone = Ear(), voter("a", 1)
    room = room_of(turn.match.event_id, desk, phone)
    room.consoles.add(desk)
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    assert beat(room).count("peek") == 1
    assert any("counts.told" in frame for frame in desk.frames)
    assert counts(phone) == [[0] * 7]
    assert not any("counts.told" in frame for frame in phone.frames)


@pytest.mark.django_db
def test_without_own_counts_nothing_is_read_and_what_was_told_is_forgotten(box: BallotBox) -> None:
    turn = start(box, own_counts=True)
    phone = voter("a", 1)
    room = room_of(turn.match.event_id, phone)
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    beat(room)
    assert room.told.teams
    Event.objects.filter(pk=turn.match.event_id).update(own_counts=False)
    announce_edit(turn.match.event_id, box.now())
    room.apply(latest(turn.match.event_id))
    assert "peek" not in beat(room)
    assert (room.told.teams, len(counts(phone))) == ({}, 1)


@pytest.mark.django_db
def test_the_next_turn_begins_with_nothing_told(box: BallotBox) -> None:
    turn = start(box, own_counts=True)
    room = room_of(turn.match.event_id, voter("a", 1))
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    beat(room)
    assert room.told.teams
    run_out(turn, box)
    close_turn(turn.pk, box)
    room.apply(latest(turn.match.event_id))
    assert room.told.teams == {}


@pytest.mark.django_db
def test_a_team_that_is_not_to_move_hears_nothing(box: BallotBox) -> None:
    turn = start(box, own_counts=True, game=CLASSIC, options={"first": "yellow"})
    red, yellow = voter("a", 1), voter("b", 2)
    room = room_of(turn.match.event_id, red, yellow)
    open_now(turn, box)
    room.apply(latest(turn.match.event_id))
    vote(turn, box, yellow=[4])
    beat(room)
    assert (counts(red), counts(yellow)) == ([], [[0, 0, 0, 1, 0, 0, 0]])


# ------------------------------------------------------------------ at a running house
def playing(house: House, **terms: Any) -> dict[str, Any]:
    made = dict(house.ask("event", **(TERMS | terms)))
    return made | {"turn": house.ask("play_to", event_id=made["id"], picks=[])}


def voted(faces: Faces, made: dict[str, Any], team: int, column: int) -> Face:
    face, _ = faces.phone(made["code"], team=team)
    face.say("ballot.cast", turn=made["turn"], epoch=1, column=column, sequence=1)
    face.hear("ballot.counted")
    return face


def test_phones_hear_their_teams_votes_and_who_comes_late_hears_them_at_once(
    house: House, faces: Faces
) -> None:
    made = playing(house)
    red, yellow = voted(faces, made, 1, 3), voted(faces, made, 2, 7)
    assert red.hear("team.counted", counts=[0, 0, 1, 0, 0, 0, 0])["turn"] == made["turn"]
    yellow.hear("team.counted", counts=[0, 0, 0, 0, 0, 0, 1])
    late, _ = faces.phone(made["code"], team=2)
    late.say("clock.ask", sent=1).hear("clock.told", sent=1)
    told = [message for message in late.heard if message["type"] == "team.counted"]
    assert [message["counts"] for message in told] == [[0, 0, 0, 0, 0, 0, 1]]
    others = [message["counts"] for message in yellow.heard if message["type"] == "team.counted"]
    assert all(not any(counts[:6]) for counts in others)
