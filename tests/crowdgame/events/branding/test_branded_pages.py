"""Pages of an event with its own colors, logo and sponsor line, and the installation's lobby music."""

from io import BytesIO
from pathlib import Path

import pytest
from django.test import Client
from PIL import Image
from pytest_django.fixtures import Settings

from crowdgame.events.branding.logos import reencode, store_logo
from crowdgame.events.permissions import OrganizerAccess
from crowdgame.organizer.console.control import perform
from tests.crowdgame.events.branding.pictures import picture
from tests.crowdgame.events.printing.test_printing import drawn
from tests.voting.match_helpers import RED_WINS, play
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import Event, Match
from voting.protocol import ActionAsk, Role
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db

BLUE, ORANGE = "#2f6fd0", "#d06a00"
BLUE_RGB, ORANGE_RGB = (47, 111, 208), (208, 106, 0)


@pytest.fixture
def match(event: Event, box: BallotBox) -> Match:
    """A match in which the second team plays red."""
    for number, color in ((1, ORANGE), (2, BLUE)):
        event.teams.filter(number=number).update(color=color)
    key = store_logo(event, reencode("a.png", picture()))
    Event.objects.filter(pk=event.pk).update(logo=key, brand_line="Kindly <Inc>")
    match = start_match(event.pk, box)
    play(match, box, RED_WINS[:2])
    Match.objects.filter(pk=match.pk).update(red=match.yellow, yellow=match.red)
    return match


def test_report_shows_brand_and_changes_with_it(
    client: Client, match: Match, event: Event, box: BallotBox
) -> None:
    play(match, box, RED_WINS[2:])
    path, logo = f"/report/{event.code}/1", Event.objects.get(pk=event.pk).logo
    report = client.get(path).content.decode()
    for shown in ("Kindly &lt;Inc&gt;", f'src="/brand/{logo}.webp"', 'href="/board/2f6fd0-d06a00.css"'):
        assert shown in report
    Event.objects.filter(pk=event.pk).update(brand_line="", logo="")
    event.teams.update(color="")
    plain = client.get(path).content.decode()
    assert "/brand/" not in plain
    assert "/board/2f" not in plain


@pytest.mark.parametrize(
    ("name", "red", "yellow"),
    [("2f6fd0-d06a00", True, True), ("2f6fd0-", True, False), ("-d06a00", False, True)],
)
def test_color_sheet_has_only_own_colors(client: Client, name: str, red: bool, yellow: bool) -> None:
    answer = client.get(f"/board/{name}.css")
    rules = answer.content.decode()
    assert answer.headers["Content-Type"] == "text/css"
    assert ("--red: #2f6fd0;" in rules, "--yellow: #d06a00;" in rules) == (red, yellow)
    assert ("--red" in rules, "--yellow" in rules) == (red, yellow)
    assert client.get("/board/red;}-d06a00.css").status_code == 404


def test_board_pictures_and_poster_have_the_colors_of_the_sides(browser: Client, match: Match) -> None:
    code = match.event.code
    for path in (f"/board/{code}/1.svg", f"/board/{code}/1/2.svg"):
        drawing = browser.get(path).content.decode()
        shown = [f"fill: {color};" in drawing for color in (BLUE, ORANGE, "#d92b45")]
        assert shown == [True, True, False]
    preview = Image.open(BytesIO(browser.get(f"/board/{code}.png").content)).convert("RGB")
    assert (preview.getpixel((95, 240)), preview.getpixel((1105, 240))) == (BLUE_RGB, ORANGE_RGB)
    pdf = browser.get(f"/console/{code}/poster.pdf").content
    assert b"/Subtype /Image" in pdf
    assert b"0.8157 0.4157 0 rg" in drawn(pdf)
    assert b"0.9098 0.2 0.2902 rg" not in drawn(pdf)


def switch_on(event: Event, box: BallotBox) -> None:
    perform(
        OrganizerAccess("ada", Role.COHOST, event.owner_id),
        event.pk,
        ActionAsk(id=1, action="music.start"),
        box,
    )


def test_music_is_served_and_off_until_an_organizer_starts_it(
    client: Client, event: Event, box: BallotBox, settings: Settings, tmp_path: Path
) -> None:
    music = tmp_path / "harbor.mp3"
    music.write_bytes(b"tune")
    settings.LOBBY_MUSIC = str(music)
    answer = client.get("/brand/lobby-music")
    assert (answer.content, answer.headers["Content-Type"]) == (b"tune", "audio/mpeg")
    assert load_snapshot(event).lobby_music is False
    switch_on(event, box)
    event.refresh_from_db()
    assert load_snapshot(event).lobby_music is True


def test_installation_without_music_offers_none(
    client: Client, event: Event, box: BallotBox, settings: Settings
) -> None:
    settings.LOBBY_MUSIC = ""
    assert client.get("/brand/lobby-music").status_code == 404
    with pytest.raises(MatchError):
        switch_on(event, box)
    event.lobby_music = True
    assert load_snapshot(event).lobby_music is None
