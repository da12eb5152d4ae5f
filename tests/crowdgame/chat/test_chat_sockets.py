"""Whoever listens where guests talk hears what is said there, within a second, and of no other room."""

import time
from collections.abc import Iterator

import pytest

from crowdgame.chat.chat_hub import LOOK_S
from tests.faces import Face, Faces, Message
from tests.stack import House
from voting.protocol import CloseCode


@pytest.fixture(autouse=True)
def quiet(house: House) -> Iterator[None]:
    house.ask("nobody_has_talked")
    since = len(house.log("gateway"))
    yield
    assert house.trouble("gateway", since) == []


def listening(house: House, faces: Faces, place: str, guest: int | None = None, seq: int = 0) -> Face:
    key = house.ask("chat_key", place=place, guest=guest)
    face = faces.open("chat").say("chat.join", key=key, seq=seq)
    face.hear("chat.told")
    return face


def texts(told: Message) -> list[str]:
    return [line["text"] for line in told["lines"]]


def test_what_is_said_and_removed_is_heard_soon_by_all_in_the_room(house: House, faces: Faces) -> None:
    one, two = (listening(house, faces, "hall") for _ in range(2))
    number = house.ask("said", place="hall", text="Hello")
    for face in (one, two):
        told = face.hear("chat.told")
        assert (texts(told), told["seq"], told["slow_s"], told["closed"]) == (["Hello"], 1, 2, False)
    late = listening(house, faces, "hall")
    greeted = late.heard[0] if late.heard[0]["lines"] else late.hear("chat.told")  # or with the next look
    assert texts(greeted) == ["Hello"]
    assert greeted["lines"][0]["name"].startswith("Guest ")
    house.ask("taken_away", line=number)
    for face in (one, two, late):
        (line,) = face.hear("chat.told", seq=2)["lines"]
        assert (line["id"], line["removed"], line["text"], line["who"]) == (number, True, "", 0)
    house.ask("slowed_down", place="hall", slow_s=30, closed=True)
    assert one.hear("chat.told", slow_s=30, closed=True)["lines"] == []


def test_who_comes_back_hears_what_they_missed_alone(house: House, faces: Faces) -> None:
    for text in ("one", "two", "three"):
        house.ask("said", place="hall", text=text)
    assert texts(listening(house, faces, "hall", seq=1).heard[0]) == ["two", "three"]
    assert texts(listening(house, faces, "hall", seq=3).heard[0]) == []
    older = listening(house, faces, "hall", seq=99).heard[0]
    assert (older["seq"], texts(older)) == (3, ["one", "two", "three"])


def test_many_messages_come_in_one_frame(house: House, faces: Faces) -> None:
    face = listening(house, faces, "hall")
    began = time.monotonic()
    for number in range(20):
        house.ask("said", place="hall", text=f"number {number}")
    face.hear("chat.told", seq=20)
    told = [told for told in face.heard if told["type"] == "chat.told"]
    assert [text for one in told for text in texts(one)] == [f"number {number}" for number in range(20)]
    assert len(told) <= (time.monotonic() - began) / LOOK_S + 2


def test_players_and_watchers_hear_nothing_of_each_other(house: House, faces: Faces) -> None:
    code = house.ask("duel")["code"]
    one, two = house.ask("seated", code=code)
    player = listening(house, faces, f"{code}-players", one)
    watcher = listening(house, faces, f"{code}-watchers")
    for guest, kind in ((one, "watchers"), (two, "watchers"), (None, "players")):
        key = house.ask("chat_key", place=f"{code}-{kind}", guest=guest)
        assert faces.open("chat").say("chat.join", key=key).closed() == CloseCode.NOT_ALLOWED
    house.ask("said", place=f"{code}-players", text="Good luck", guest=two)
    assert texts(player.hear("chat.told")) == ["Good luck"]
    house.ask("said", place=f"{code}-watchers", text="Column 4!")
    assert texts(watcher.hear("chat.told")) == ["Column 4!"]
    for face, kind, guest in ((player, "players", one), (watcher, "watchers", None)):
        house.ask("said", place=f"{code}-{kind}", text="That was all", guest=guest)  # a look is at all rooms
        assert texts(face.hear("chat.told")) == ["That was all"]
    assert "Column 4!" not in "".join(player.frames)
    assert "Good luck" not in "".join(watcher.frames)
    house.ask("played_out", code=code)
    assert texts(listening(house, faces, f"{code}-players").heard[0]) == ["Good luck", "That was all"]
    assert texts(listening(house, faces, f"{code}-watchers", one).heard[0]) == ["Column 4!", "That was all"]


@pytest.mark.parametrize("place", ["ZZZZ-players", "hall-players", "hall-", "cellar", "-"])
def test_there_is_no_such_room(place: str, house: House, faces: Faces) -> None:
    key = house.ask("chat_key", place=place)
    assert faces.open("chat").say("chat.join", key=key).closed() == CloseCode.NOT_ALLOWED


def test_nobody_listens_without_a_page(house: House, faces: Faces) -> None:
    key = house.ask("chat_key", place="hall")
    forged = f"{house.ask('chat_key', place='other').partition(':')[0]}:{key.partition(':')[2]}"
    for shown in (forged, "hall", "x" * 200):
        assert faces.open("chat").say("chat.join", key=shown).closed() == CloseCode.BAD_TOKEN
    face = listening(house, faces, "hall")
    face.say("chat.join", key=key).hear("error.told", code="joined_already")
    face.say("chat.say", text="Hello").hear("error.told", code="malformed")
