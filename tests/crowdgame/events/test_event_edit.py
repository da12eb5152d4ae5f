"""Edits of an event, and presets: stored, announced to the screens, and audited."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from crowdgame.events.presets import EMPTY_PRESET, PRESETS, PRESETS_BY_SLUG, Preset
from tests.crowdgame.events.form_helpers import (
    BANK,
    READY_PRESETS,
    edit_path,
    event_settings,
    form_defaults,
    sources,
)
from tests.voting.action_helpers import press
from tests.voting.match_helpers import RED_WINS, play
from tests.voting.page_fixtures import answers
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement, Event
from voting.names import TEAM_NAMES
from voting.terms import HANDS, PHONES
from voting.turns.turns import start_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]

NO_BANK = {"bank_s": None, "increment_s": 0, "cap_s": None, "crowd_clocks": False}


def edited(browser: Client, event: Event, **changes: str) -> Event:
    sent = form_defaults(browser, edit_path(event)) | changes
    answer = browser.post(edit_path(event), {name: value for name, value in sent.items() if value != "off"})
    assert answer.status_code == 302, re.findall(r"errorlist.*?</ul>", answer.content.decode())
    return Event.objects.get(pk=event.pk)


def test_unchanged_edit_form_changes_only_seq(browser: Client, organizer: User) -> None:
    event = Event.objects.get(pk=PRESETS_BY_SLUG["show-of-hands"].create(organizer).pk)
    Event.objects.filter(pk=event.pk).update(best_of=9, talk_s=45, hide_code=True)
    before = Event.objects.get(pk=event.pk)
    after = edited(browser, event)
    assert event_settings(after) == event_settings(before) | {"seq": before.seq + 1}
    assert (sources(after), after.name) == ({2: HANDS}, before.name)
    assert not event.audit_entries.exists()


def test_edit_form_sets_and_clears_options_and_audits_its_changes(browser: Client, organizer: User) -> None:
    event = EMPTY_PRESET.create(organizer)
    chosen = {"own_counts": "on", "source_1": "bot:4"}
    edited(browser, event, team_1="Owls", talk_s_usual="60", own_counts="on")
    entry = event.audit_entries.get()
    assert (entry.by, entry.action, entry.undo) == (organizer.get_username(), "event.edit", None)
    own = "Show each team its own votes so far on its phones (all screens say so)"
    talk = "Time to talk before each vote: 1 minute"
    assert str(entry) == f"{entry.by} changed: First team, red: Owls, {talk}, {own}"
    after = edited(browser, event, **chosen, best_of="5", resign="two_thirds")
    assert (after.talk_s, after.best_of, sources(after), after.own_counts) == (60, 5, {1: "bot:4"}, True)
    assert after.resign == "two_thirds"
    chosen = {"own_counts": "off", "source_1": PHONES}
    after = edited(browser, event, **chosen, talk_s_usual="", best_of="", resign="")
    assert (after.talk_s, after.best_of, sources(after), after.own_counts) == (0, None, {}, False)
    assert after.resign is None
    edited(browser, event, **BANK)
    after = edited(browser, event, clock="window", window_s_usual="20")
    assert {name: getattr(after, name) for name in NO_BANK} == NO_BANK
    assert after.window_s == 20


def test_stale_edit_form_keeps_console_changes(browser: Client, event: Event, box: BallotBox) -> None:
    old = form_defaults(browser, edit_path(event))
    for part in ("code", "turnout", "tally"):
        press(event.pk, "part.hide", box, part=part)
    press(event.pk, "notice.show", box, text="Lunch")
    press(event.pk, "turn.extra_time", box, seconds=30)
    start_match(event.pk, box)
    browser.post(edit_path(event), old | {"name": "Renamed"})
    after = Event.objects.get(pk=event.pk)
    assert (after.hide_code, after.hide_turnout, after.hide_tally) == (True, True, True)
    assert (after.notice, after.extra_s, after.lobby, after.name) == ("Lunch", 30, "open", "Renamed")


def test_event_edit_is_announced_and_keeps_running_match(
    browser: Client, event: Event, box: BallotBox
) -> None:
    start_match(event.pk, box)
    before = Event.objects.get(pk=event.pk)
    response = browser.post(edit_path(event), answers(team_1="Larboard"), follow=True)
    assert "apply from the next match" in response.content.decode()
    after = Event.objects.get(pk=event.pk)
    assert (after.seq, after.lobby) == (before.seq + 1, before.lobby)
    assert b"Larboard" in bytes(Announcement.objects.get(event=event, seq=after.seq).body)
    assert after.matches.get().window_s == before.window_s


def test_event_edit_is_saved_without_ballot_box(browser: Client, event: Event, settings: Settings) -> None:
    settings.BALLOT_BOX_URL = "redis://127.0.0.1:1/0"
    response = browser.post(edit_path(event), answers(), follow=True)
    assert "The screens could not be notified" in response.content.decode()
    assert Event.objects.get(pk=event.pk).name == "Harbour night"


def test_show_of_hands_cannot_change_during_match(browser: Client, event: Event, box: BallotBox) -> None:
    press(event.pk, "match.start", box)
    changed = form_defaults(browser, edit_path(event)) | {"source_2": HANDS, "name": "Renamed"}
    answer = browser.post(edit_path(event), changed)
    assert "A match is live. Change this when the match is over." in answer.content.decode()
    unchanged = Event.objects.get(pk=event.pk)
    assert (sources(unchanged), unchanged.name) == ({}, event.name)
    assert edited(browser, event, name="Renamed").name == "Renamed"
    press(event.pk, "match.abort", box)
    assert sources(edited(browser, event, source_2=HANDS)) == {2: HANDS}


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
