"""The page on which an organizer gives an event its colors, logo and sponsor line."""

from pathlib import Path

import msgspec
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django.fixtures import Settings

from crowdgame.events.branding.brands import load_brand
from crowdgame.events.branding.logos import reencode
from crowdgame.events.models import EventLogo
from crowdgame.server.config.brand import default_logo
from tests.crowdgame.events.branding.pictures import picture
from voting.announcements.snapshots import load_snapshot
from voting.models import Announcement, Event

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]
RED, YELLOW, BLUE, ORANGE = "#d92b45", "#ffdd33", "#2f6fd0", "#d06a00"


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


def test_only_owner_changes_brand_and_deletes_logo_with_event(
    browser: Client, event: Event, organizer: User, other: User
) -> None:
    kept = Event.objects.create(owner=organizer, name="Other", code="KEPT")
    EventLogo.objects.create(event=kept, key="kept", content=b"kept")
    assert not save(browser, event, color_2=BLUE, logo=logo_file())
    assert (load_brand(event).color_1, load_brand(event).color_2) == ("", BLUE), "a default color is none"
    browser.force_login(other)
    assert browser.post(page(event), {"reset": "1"}).status_code == 404
    assert browser.post(f"{page(event)}undo/").status_code == 404
    browser.force_login(organizer)
    browser.post(f"/console/{event.code}/delete/")
    assert browser.get(f"/brand/{event.logo}.webp").status_code == 404
    assert browser.get("/brand/kept.webp").content == b"kept"


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
def test_unsafe_colors_and_unreadable_logos_are_refused(
    browser: Client, event: Event, colors: dict[str, str], reason: str
) -> None:
    before = load_brand(event)
    assert reason in save(browser, event, **colors)
    logo = SimpleUploadedFile("logo.png", b"<svg/>")
    assert "can&#x27;t be read" in save(browser, event, color_1=BLUE, logo=logo)
    assert (load_brand(event), EventLogo.objects.count()) == (before, 0)


def test_reset_and_undo_bring_back_the_brand_before(browser: Client, event: Event) -> None:
    save(browser, event, color_1=BLUE, color_2=ORANGE, brand_line="Kindly Inc", logo=logo_file())
    before = load_brand(event)
    save(browser, event, reset="1")
    assert (event.brand_line, event.logo, load_brand(event).color_1) == ("", "", "")
    browser.post(f"{page(event)}undo/")
    event.refresh_from_db()
    assert load_brand(event) == before
    assert browser.get(f"/brand/{event.logo}.webp").status_code == 200


def test_only_the_last_two_logos_are_kept(browser: Client, event: Event) -> None:
    keys = []
    for shade in (0, 100, 200):
        save(browser, event, logo=logo_file(color=(shade, shade, shade)))
        keys.append(event.logo)
    assert set(event.logos.values_list("key", flat=True)) == set(keys[1:])
    save(browser, event, no_logo="on")
    assert event.logo == ""


def test_installation_has_a_default_logo_and_line(
    client: Client, event: Event, settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "school.png"
    file.write_bytes(picture())
    settings.BRAND_LINE = "Our school"
    settings.BRAND_LOGO, settings.BRAND_LOGO_KEY = default_logo(str(file))
    state = load_snapshot(event)
    assert (state.brand_line, state.logo) == ("Our school", settings.BRAND_LOGO_KEY)
    assert client.get(f"/brand/{state.logo}.webp").content == reencode("school.png", picture())
    event.brand_line = event.logo = "own"
    assert (load_snapshot(event).brand_line, load_snapshot(event).logo) == ("own", "own")
