"""An open control room is worth what its session is worth."""

from typing import Any

import pytest

from tests.faces import Face, Faces
from tests.stack import House
from voting.consumers.console import LOOK_AGAIN_S
from voting.protocol import CloseCode


@pytest.fixture(params=["log_out", "deactivate"])
def ending(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def open_room(house: House, faces: Faces, request: pytest.FixtureRequest) -> tuple[Face, str]:
    name = request.node.name
    event = house.ask("event", owner=name)
    console = faces.console(event["code"], house.ask("session", name=name))
    console.hear("console.welcomed")
    return console, name


def test_a_press_after_the_session_is_refused_and_ends_the_room(
    ending: str, open_room: tuple[Face, str], house: House
) -> None:
    console, name = open_room
    console.say("action.ask", id=1, action="lobby.open").hear("action.done", id=1)
    house.ask(ending, name=name)
    before = house.contents()
    console.say("action.ask", id=2, action="match.start")
    assert console.hear("action.refused", id=2)["text"] == "You may not do this."
    assert console.closed() == CloseCode.NOT_ALLOWED
    assert house.contents() == before


def test_who_only_looks_is_sent_away_soon(
    ending: str, open_room: tuple[Face, str], house: House, monkeypatch: Any
) -> None:
    console, name = open_room
    house.ask(ending, name=name)
    monkeypatch.setattr("tests.faces.PATIENCE_S", LOOK_AGAIN_S + 10)
    assert console.closed() == CloseCode.NOT_ALLOWED
