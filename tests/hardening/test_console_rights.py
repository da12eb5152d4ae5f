"""An open control room is worth what its session is worth."""

from typing import Any

import pytest

from crowdgame.console.consumer import RECHECK_S
from tests.faces import Face, Faces
from tests.stack import House
from voting.protocol import CloseCode

ENDINGS = ("log_out", "deactivate")


def open_room(house: House, faces: Faces, name: str) -> Face:
    """The control room of an organizer of that name."""
    event = house.ask("event", owner=name)
    console = faces.console(event["code"], house.ask("session", name=name))
    console.receive("console.welcomed")
    return console


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_press_after_the_session_is_refused_and_ends_the_room(
    ending: str, house: House, faces: Faces
) -> None:
    console = open_room(house, faces, f"presses-{ending}")
    console.say("action.ask", id=1, action="lobby.open").receive("action.done", id=1)
    house.ask(ending, name=f"presses-{ending}")
    before = house.contents()
    console.say("action.ask", id=2, action="match.start")
    assert console.receive("action.refused", id=2)["text"] == "You may not do this."
    assert console.closed() == CloseCode.NOT_ALLOWED
    assert house.contents() == before


def test_who_only_looks_is_sent_away_soon(house: House, faces: Faces, monkeypatch: Any) -> None:
    """Whichever way the session ended: both rooms wait for it at once."""
    consoles = [open_room(house, faces, f"looks-{ending}") for ending in ENDINGS]
    for ending in ENDINGS:
        house.ask(ending, name=f"looks-{ending}")
    monkeypatch.setattr("tests.faces.PATIENCE_S", RECHECK_S + 10)
    assert [console.closed() for console in consoles] == [CloseCode.NOT_ALLOWED] * len(ENDINGS)
