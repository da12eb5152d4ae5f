from io import BytesIO
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from coloraide import Color
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image
from pytest_django.fixtures import Settings

from crowdgame.events import new_event
from crowdgame.events.branding import colors
from crowdgame.events.branding.brands import load_brand
from crowdgame.events.branding.colors import DARK, LIGHT, contrast, distance, is_visible, nearest_allowed
from crowdgame.events.branding.logos import reencode, store_logo
from crowdgame.events.models import EventLogo
from crowdgame.server.config.brand import default_logo
from tests.crowdgame.events.branding.test_logos import picture
from tests.crowdgame.events.form_helpers import form_defaults
from tests.crowdgame.events.printing.test_printing import drawn
from tests.design.test_style_sheets import PAGE_TOKENS, palettes
from tests.voting.action_helpers import press, refused
from tests.voting.match_helpers import RED_WINS, play
from tests.voting.turns.conftest import crashing
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement, Event, Match
from voting.turns.turns import start_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]
RED, YELLOW, BLUE, ORANGE = "#d92b45", "#ffdd33", "#2f6fd0", "#d06a00"
GREEN = "#2e8b57"
SAMPLES = (*colors.DEFAULT_COLORS, "#d13438", GREEN, "#2f6fd0", "#0f8a8a", "#d0457f", "#000000", "#ffffff")


def page(event: Event) -> str:
    return f"/console/{event.code}/branding/"


def save(browser: Client, event: Event, **changes: object) -> str:
    """Send the form and return the errors, if it is shown again."""
    sent = {"color_1": RED, "color_2": YELLOW, "brand_line": ""} | changes
    answer = browser.post(page(event), sent)
    event.refresh_from_db()
    return answer.content.decode().partition("errorlist")[2].partition("</ul>")[0]


def logo_file(name: str = "logo.png", color: tuple[int, int, int] = (9, 99, 199)) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, picture(color=color))


def test_saved_brand_is_announced_and_its_logo_served_for_good(browser: Client, event: Event) -> None:
    line = "Kindly\u202e Inc"
    assert not save(browser, event, color_1=BLUE, color_2=ORANGE, brand_line=line, logo=logo_file())
    state = msgspec.json.decode(Announcement.objects.filter(event=event).latest("seq").body)["state"]
    assert [team["color"] for team in state["teams"]] == [BLUE, ORANGE]
    assert (state["brand_line"], state["logo"]) == ("Kindly Inc", event.logo)
    assert [str(entry) for entry in event.audit_entries.all()] == ["ada changed colors and logo"]
    browser.logout()
    answer = browser.get(f"/brand/{event.logo}.webp")
    assert answer.content == reencode("logo.png", logo_file().read())
    assert answer.headers["Content-Type"] == "image/webp"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert browser.get(f"/brand/{'0' * 32}.webp").status_code == 404


def test_brand_is_changed_by_owner_only_and_copied(browser: Client, event: Event, other: User) -> None:
    assert not save(browser, event, color_2=BLUE, brand_line="Kindly Inc", logo=logo_file())
    assert (load_brand(event).color_1, load_brand(event).color_2) == ("", BLUE), "a default color is none"
    browser.force_login(other)
    assert browser.post(page(event), {"reset": "1"}).status_code == 404
    assert browser.post(f"{page(event)}undo/").status_code == 404
    browser.force_login(event.owner)
    path = f"/console/{event.code}/again/"
    with crashing(new_event, "copy_brand", after=True):
        browser.post(path, form_defaults(browser, path))
    assert event.owner.events.get() == event, "no copy without its brand"
    browser.post(path, form_defaults(browser, path))
    copy = event.owner.events.exclude(pk=event.pk).get()
    assert load_brand(copy) == load_brand(event)
    for deleted, status in ((event, 200), (copy, 404)):
        browser.post(f"/console/{deleted.code}/delete/")
        assert browser.get(f"/brand/{event.logo}.webp").status_code == status


@pytest.mark.parametrize(
    ("colors", "reason"),
    [
        ({"color_1": "#101030"}, "Too dark for the big screen. Nearest allowed color: #"),
        ({"color_2": "#ffe600"}, "Too bright for light pages. Nearest allowed color: #"),
        ({"color_1": YELLOW}, "Too bright for light pages. Nearest allowed color: #"),
        ({"color_1": "#d13438", "color_2": "#2e8b57"}, "people can&#x27;t tell both colors apart. Nearest"),
        ({"color_1": "#aa8800", "color_2": "#997711"}, "people can&#x27;t tell both colors apart. Nearest"),
        ({"color_1": "red; --x: 1"}, "Enter a valid value."),
    ],
)
def test_unsafe_brand_is_refused(browser: Client, event: Event, colors: dict[str, str], reason: str) -> None:
    before = load_brand(event)
    assert reason in save(browser, event, **colors)
    logo = SimpleUploadedFile("logo.png", b"<svg/>")
    assert "can&#x27;t be read" in save(browser, event, color_1=BLUE, logo=logo)
    assert (load_brand(event), EventLogo.objects.count()) == (before, 0)


def test_reset_and_undo_restore_the_brand_and_two_logos_are_kept(browser: Client, event: Event) -> None:
    save(browser, event, color_1=BLUE, color_2=ORANGE, brand_line="Kindly Inc", logo=logo_file())
    before = load_brand(event)
    save(browser, event, reset="1")
    assert (event.brand_line, event.logo, load_brand(event).color_1) == ("", "", "")
    browser.post(f"{page(event)}undo/")
    event.refresh_from_db()
    assert load_brand(event) == before
    event.teams.filter(number=1).update(color=GREEN)  # by another organizer
    answer = browser.post(f"{page(event)}undo/", follow=True)
    assert ("undone any more" in answer.content.decode(), load_brand(event).color_1) == (True, GREEN)
    assert browser.get(f"/brand/{event.logo}.webp").status_code == 200
    keys = []
    for shade in (0, 100, 200):
        save(browser, event, logo=logo_file(color=(shade, shade, shade)))
        keys.append(event.logo)
    assert set(event.logos.values_list("key", flat=True)) == set(keys[1:])
    save(browser, event, no_logo="on")
    assert event.logo == ""


def test_server_has_default_brand(client: Client, event: Event, settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "school.png"
    file.write_bytes(picture())
    settings.BRAND_LINE = "Our school"
    settings.BRAND_LOGO, settings.BRAND_LOGO_KEY = default_logo(str(file))
    state = load_snapshot(event)
    assert (state.brand_line, state.logo) == ("Our school", settings.BRAND_LOGO_KEY)
    assert client.get(f"/brand/{state.logo}.webp").content == reencode("school.png", picture())
    event.brand_line = event.logo = "own"
    assert (load_snapshot(event).brand_line, load_snapshot(event).logo) == ("own", "own")


def test_pictures_and_report_show_brand(browser: Client, event: Event, box: BallotBox) -> None:
    for number, color in ((1, ORANGE), (2, BLUE)):
        event.teams.filter(number=number).update(color=color)
    logo = store_logo(event, reencode("a.png", picture()))
    Event.objects.filter(pk=event.pk).update(logo=logo, brand_line="Kindly <Inc>")
    match = start_match(event.pk, box)
    play(match, box, RED_WINS[:2])
    Match.objects.filter(pk=match.pk).update(red=match.yellow, yellow=match.red)  # team 2 plays red
    for path in (f"/board/{event.code}/1.svg", f"/board/{event.code}/1/2.svg"):
        drawing = browser.get(path).content.decode()
        assert [f"fill: {color};" in drawing for color in (BLUE, ORANGE, RED)] == [True, True, False]
    preview = Image.open(BytesIO(browser.get(f"/board/{event.code}.png").content)).convert("RGB")
    sides = [preview.getpixel((x, 240)) for x in (95, 1105)]
    assert sides == [(47, 111, 208), (208, 106, 0)]
    pdf = browser.get(f"/console/{event.code}/poster.pdf").content
    assert b"/Subtype /Image" in pdf
    assert (b"0.8157 0.4157 0 rg" in drawn(pdf), b"0.9098 0.2 0.2902 rg" in drawn(pdf)) == (True, False)
    play(match, box, RED_WINS[2:])
    path = f"/report/{event.code}/1"
    report = browser.get(path).content.decode()
    for brand in ("Kindly &lt;Inc&gt;", f'src="/brand/{logo}.webp"', 'href="/board/2f6fd0-d06a00.css"'):
        assert brand in report
    Event.objects.filter(pk=event.pk).update(brand_line="", logo="")
    event.teams.update(color="")
    plain = browser.get(path).content.decode()
    assert ("/brand/" in plain, "/board/2f" in plain) == (False, False)


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


def test_lobby_music_of_installation_is_off_until_an_organizer_starts_it(
    client: Client, event: Event, box: BallotBox, settings: Settings, tmp_path: Path
) -> None:
    settings.LOBBY_MUSIC = ""
    assert client.get("/brand/lobby-music").status_code == 404
    with refused("music"):
        press(event.pk, "music.start", box)
    event.lobby_music = True
    assert load_snapshot(event).lobby_music is None
    settings.LOBBY_MUSIC = str(tmp_path / "harbor.mp3")
    (tmp_path / "harbor.mp3").write_bytes(b"tune")
    answer = client.get("/brand/lobby-music")
    assert (answer.content, answer.headers["Content-Type"]) == (b"tune", "audio/mpeg")
    event.refresh_from_db()
    assert load_snapshot(event).lobby_music is False
    press(event.pk, "music.start", box)
    event.refresh_from_db()
    assert load_snapshot(event).lobby_music is True


@pytest.mark.parametrize(("one", "other"), list(combinations(SAMPLES, 2)))
def test_contrast_and_distance_agree_with_coloraide(one: str, other: str) -> None:
    assert contrast(one, other) == pytest.approx(Color(one).contrast(other, method="wcag21"), abs=1e-3)
    pair = Color(one), Color(other)
    kinds = ("protan", "deutan", "tritan")
    seen = [pair, *([color.filter(kind, 1, method="machado").clip() for color in pair] for kind in kinds)]
    expected = min(first.distance(second, space="oklab") for first, second in seen)
    assert distance(one, other) == pytest.approx(expected, abs=2e-3)


def test_allowed_colors_have_contrast_on_backgrounds_of_the_pages() -> None:
    pages = palettes(PAGE_TOKENS)
    assert (pages["dark"]["ground"], pages["light"]["ground"]) == (DARK, LIGHT)
    grays = [f"#{level:02x}{level:02x}{level:02x}" for level in range(256)]
    for ground, nearest in ((DARK, 0), (LIGHT, -1)):
        edge = [gray for gray in grays if contrast(gray, ground) >= colors.MIN_CONTRAST]
        assert not any(is_visible(gray) for gray in grays if gray not in edge)
        assert is_visible(edge[nearest])
    for color in ("#ffe600", GREEN, "#000000"):
        allowed = nearest_allowed(color, "#d13438")
        assert is_visible(allowed)
        assert distance(allowed, "#d13438") >= colors.MIN_DISTANCE
    assert nearest_allowed("#ffe600", BLUE) == "#aa8800"
