"""Presets: a playable event in one click, and the same form unchanged."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.events.presets import EMPTY_PRESET, PRESETS, Preset
from tests.crowdgame.events.form_helpers import READY_PRESETS, event_settings, form_defaults, sources
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event
from voting.names import TEAM_NAMES
from voting.turns.turns import start_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]


def test_only_some_presets_have_no_nicknames_or_a_single_person(organizer: User) -> None:
    without = {preset.slug for preset in PRESETS if preset.build_event().nicknames == "off"}
    assert without == {"first-game", "two-classes", "class-against-class"}
    solo = {preset.slug for preset in PRESETS if preset.create(organizer).teams.filter(solo=True)}
    assert solo == {"one-against-all"}
    assert Event.objects.filter(tickets__isnull=False).count() == 1


@pytest.mark.parametrize("preset", READY_PRESETS, ids=lambda preset: preset.slug)
def test_preset_creates_playable_event_in_one_click(
    preset: Preset, browser: Client, organizer: User, box: BallotBox
) -> None:
    page = browser.get("/console/new/").content.decode()
    assert f'name="preset" value="{preset.slug}"' in page
    answer = browser.post("/console/new/", {"preset": preset.slug})
    event = organizer.events.get()
    assert answer.headers["Location"] == f"/console/{event.code}/{'tickets/' if preset.solo else ''}"
    one, two = event.teams.order_by("number")
    assert {one.name, two.name} < {*TEAM_NAMES, "The computer", "One person", "The world"}
    assert event.name == f"{one.name} vs. {two.name}"
    assert sources(event) == preset.sources
    for name, value in preset.choices.items():
        assert getattr(event, name) == value
    event.full_clean()
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    match.refresh_from_db()
    assert match.result == "red"


@pytest.mark.parametrize("preset", [*READY_PRESETS, EMPTY_PRESET], ids=lambda preset: preset.slug)
def test_unchanged_preset_form_creates_same_event(preset: Preset, browser: Client, organizer: User) -> None:
    path = f"/console/new/{preset.slug}/"
    assert f'href="{path}"' in browser.get("/console/new/").content.decode()
    answer = browser.post(path, form_defaults(browser, path))
    assert answer.status_code == 302, re.findall(r"errorlist.*?</ul>", answer.content.decode())
    by_form, at_once = organizer.events.get(), preset.create(organizer)
    assert event_settings(by_form) == event_settings(at_once)
    assert sources(by_form) == preset.sources
    assert by_form.options["columns"] == at_once.options.get("columns", 7)


@pytest.mark.parametrize("preset", ["", "chess", "empty\0", "stream"])
def test_unknown_preset_or_stream_without_its_channel_creates_nothing(preset: str, browser: Client) -> None:
    page = browser.post("/console/new/", {"preset": preset}).content.decode()
    assert 'class="preset" href="/console/new/stream/"' in page
    assert browser.get("/console/new/chess/").status_code == 404
    filled = form_defaults(browser, "/console/new/stream/")
    page = browser.post("/console/new/stream/", filled).content.decode()
    assert "Enter the name of a Twitch channel" in page
    assert not Event.objects.exists()
    browser.post("/console/new/stream/", filled | {"source_2_address": "rooks"})
    event = Event.objects.get()
    assert (event.window_s, sources(event)) == (60, {2: "twitch:rooks"})


def test_single_person_has_the_only_ticket_also_in_copies(browser: Client, organizer: User) -> None:
    browser.post("/console/new/", {"preset": "one-against-all"})
    event = organizer.events.get()
    path = f"/console/{event.code}/again/"
    browser.post(path, form_defaults(browser, path) | {"team_1": "Ada"})
    copy = organizer.events.exclude(pk=event.pk).get()
    for one, name in ((event, "One person"), (copy, "Ada")):
        assert list(one.teams.filter(solo=True).values_list("number", flat=True)) == [1]
        assert list(one.tickets.values_list("label", "team")) == [(name, 1)]
    page = browser.get(f"/console/{copy.code}/tickets/").content.decode()
    assert "Ada" in page
    assert "not in use" not in page
    assert f"/console/{copy.code}/tickets/" in browser.get("/console/").content.decode()
