"""A match as an animated picture, and positions that are set up and shared by their address."""

import re
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, play, play_turn, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.models import TurnState
from voting.turns.turns import start_match

SVG = "{http://www.w3.org/2000/svg}"
CAPTAINS = "/board?game=captains-mistress"


def page(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    return answer.content.decode()


def balls(text: str) -> int:
    """The balls on the boards of a page or picture."""
    return len(re.findall(r'<use href="#ball-(?:red|yellow)" x=', text))


@pytest.mark.django_db
def test_animation_shows_each_revealed_turn_in_order(client: Client, box: BallotBox) -> None:
    match = start_match(new_event().pk, box)
    play(match, box, RED_WINS[:3])
    live = only_turn(match)
    open_now(live, box)
    vote(live, box, [5], [6])
    frames = ET.fromstring(page(client, f"/board/{match.event.code}/1.svg")).findall(f"{SVG}g")  # noqa: S314
    assert [balls(ET.tostring(frame).decode().replace("ns0:", "")) for frame in frames] == [0, 2, 4, 6]
    assert [frame.get("visibility") for frame in frames] == ["hidden"] * 3 + ["visible"]
    times = [frame[0].get("keyTimes", "").split(";") for frame in frames]
    assert [shown[0] for shown in times] == ["0.0"] * 4
    assert [shown[-1] for shown in times[:-1]] == [shown[1] for shown in times[1:]]
    assert client.get(f"/board/{match.event.code}/2.svg").status_code == 404


@pytest.mark.django_db
def test_report_leads_to_its_position_in_editor(client: Client, box: BallotBox) -> None:
    match = start_match(new_event(options={"columns": 6, "token": "yellow"}).pk, box)
    play(match, box, [(1, 2), (3, 3)])
    report = page(client, f"/report/{match.event.code}/1")
    assert f"/board/{match.event.code}/1.svg" in report
    [address] = re.findall(r'href="(/board\?[^"]+)"', report)
    editor = page(client, address.replace("&amp;", "&"))
    assert "turns=12-33" in editor
    assert "columns=6" in editor
    assert "Red holds the token." in editor
    assert balls(editor) == 4


@pytest.mark.django_db
def test_concealed_choice_is_in_no_export(client: Client, box: BallotBox) -> None:
    match = start_match(new_event(game="single-selector", options={"token": "red"}).pk, box)
    play_turn(only_turn(match), box, red=[6])
    play_turn(only_turn(match), box, yellow=[5])
    play_turn(only_turn(match), box, yellow=[3])
    code = match.event.code
    assert match.turns.filter(state=TurnState.CONCEALED).count() == 1
    assert page(client, f"/board/{code}/1.svg").count("<animate") == 3
    [address] = re.findall(r'href="(/board\?[^"]+)"', page(client, f"/report/{code}/1"))
    assert address.endswith("turns=60-05")


def test_turns_are_added_and_taken_back(client: Client) -> None:
    start = page(client, "/board")
    assert balls(start) == 0
    added = client.get("/board?game=simultaneous-captains-mistress&turns=44&red=4&yellow=5")
    assert added.headers["Location"] == "/board?game=simultaneous-captains-mistress&turns=44-45"
    position = page(client, added.headers["Location"])
    assert balls(position) == 4
    assert 'href="/board?game=simultaneous-captains-mistress&amp;turns=44"' in position
    one_side = client.get(f"{CAPTAINS}&turns=40&yellow=4&red=")
    assert one_side.headers["Location"] == f"{CAPTAINS}&turns=40-04"


def test_end_of_game_offers_no_turn(client: Client) -> None:
    won = page(client, "/board?turns=12-12-12-13")
    assert "Red wins." in won
    assert "<select" not in won


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("game=chess", "There is no such game"),
        ("columns=8", "There is no such game"),
        ("columns=%C2%B2", "There is no such game"),
        ("game=goofspiel", "This game has no board of columns."),
        ("turns=4", "cannot be read"),
        ("turns=%F0%9D%9F%92%F0%9D%9F%92", "cannot be read"),
        ("turns=" + "-".join(["11"] * 101), "cannot be read"),
        ("red=12&yellow=1", "cannot be read"),
        ("turns=44-48", "Turn 2 is not possible"),
        ("turns=44&red=9&yellow=1", "Turn 2 is not possible"),
    ],
)
def test_impossible_positions_are_explained(client: Client, query: str, says: str) -> None:
    assert says in page(client, f"/board?{query}", 400)
