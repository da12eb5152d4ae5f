"""The report, board pictures and printed sheets of an event with its own colors, logo and sponsor line."""

from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.test import Client
from PIL import Image

from crowdgame.events.branding.logos import reencode, store_logo
from tests.crowdgame.events.branding.pictures import picture
from tests.crowdgame.events.printing.test_printing import drawn
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match
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


def test_report_shows_brand_and_the_colors_of_the_sides(client: Client, match: Match) -> None:
    code = match.event.code
    report = client.get(f"/report/{code}/1").content.decode()
    assert "Kindly &lt;Inc&gt;" in report
    assert f'src="/brand/{Event.objects.get(code=code).logo}.webp"' in report
    assert 'href="/board/2f6fd0-d06a00.css"' in report


def test_cached_report_changes_with_the_brand(
    client: Client, match: Match, event: Event, box: BallotBox
) -> None:
    play(match, box, RED_WINS[2:])
    path = f"/report/{event.code}/1"
    assert "/brand/" in client.get(path).content.decode()
    Event.objects.filter(pk=event.pk).update(brand_line="", logo="")
    event.teams.update(color="")
    plain = client.get(path).content.decode()
    assert "/brand/" not in plain
    assert "/board/2f" not in plain


@pytest.mark.parametrize(
    ("name", "present", "absent"),
    [
        ("2f6fd0-d06a00", ("--red: #2f6fd0;", "--yellow: #d06a00;"), ()),
        ("2f6fd0-", ("--red: #2f6fd0;",), ("--yellow",)),
        ("-d06a00", ("--yellow: #d06a00;",), ("--red",)),
    ],
)
def test_color_sheet_has_only_own_colors(
    client: Client, name: str, present: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    answer = client.get(f"/board/{name}.css")
    rules = answer.content.decode()
    assert answer.headers["Content-Type"] == "text/css"
    assert all(rule in rules for rule in present)
    assert not any(rule in rules for rule in absent)
    assert client.get("/board/red;}-d06a00.css").status_code == 404


def test_board_pictures_have_the_colors_of_the_sides(client: Client, match: Match) -> None:
    code = match.event.code
    for path in (f"/board/{code}/1.svg", f"/board/{code}/1/2.svg"):
        drawing = client.get(path).content.decode()
        assert f"fill: {BLUE};" in drawing
        assert f"fill: {ORANGE};" in drawing
        assert "#d92b45" not in drawing
    preview = Image.open(BytesIO(client.get(f"/board/{code}.png").content)).convert("RGB")
    assert (preview.getpixel((95, 240)), preview.getpixel((1105, 240))) == (BLUE_RGB, ORANGE_RGB)


def test_poster_has_logo_and_team_colors(browser: Client, match: Match, organizer: User) -> None:
    pdf = browser.get(f"/console/{match.event.code}/poster.pdf").content
    assert b"/Subtype /Image" in pdf
    assert b"0.8157 0.4157 0 rg" in drawn(pdf)
    assert b"0.9098 0.2 0.2902 rg" not in drawn(pdf)
