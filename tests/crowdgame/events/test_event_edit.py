import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from crowdgame.events.presets import EMPTY_PRESET, PRESETS, PRESETS_BY_SLUG, Preset
from tests.crowdgame.events.form_helpers import BANK, edit_path, event_settings, form_defaults, sources
from tests.voting.action_helpers import press
from tests.voting.match_helpers import RED_WINS, play
from tests.voting.page_fixtures import answers
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement, Event
from voting.names import TEAM_NAMES
from voting.terms import HANDS, PHONES
from voting.turns.turns import start_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]
NOON_UTC = int(datetime(2999, 7, 1, 12, tzinfo=UTC).timestamp() * 1000)
HOUR_MS = 3_600_000


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
    assert (after.bank_s, after.increment_s, after.cap_s, after.crowd_clocks) == (None, 0, None, False)
    assert after.window_s == 20


def test_stale_edit_form_keeps_console_changes(browser: Client, event: Event, box: BallotBox) -> None:
    old = form_defaults(browser, edit_path(event))
    for part in ("code", "turnout", "tally"):
        press(event.pk, "part.hide", box, part=part)
    press(event.pk, "notice.show", box, text="Lunch")
    press(event.pk, "discussion.start", box)
    press(event.pk, "turn.extra_time", box, seconds=30)
    start_match(event.pk, box)
    browser.post(edit_path(event), old | {"name": "Renamed"})
    after = Event.objects.get(pk=event.pk)
    assert (after.hide_code, after.hide_turnout, after.hide_tally) == (True, True, True)
    assert after.team_discussion
    refused = browser.post(edit_path(event), old | {"max_side_changes": "1"})
    assert "teams cannot have a discussion" in refused.content.decode()
    assert (after.notice, after.extra_s, after.lobby, after.name) == ("Lunch", 30, "open", "Renamed")


def test_event_edit_is_announced(browser: Client, event: Event, box: BallotBox, settings: Settings) -> None:
    start_match(event.pk, box)
    before = Event.objects.get(pk=event.pk)
    response = browser.post(edit_path(event), answers(team_1="Larboard"), follow=True)
    assert "apply from the next match" in response.content.decode()
    after = Event.objects.get(pk=event.pk)
    assert (after.seq, after.lobby) == (before.seq + 1, before.lobby)
    assert b"Larboard" in bytes(Announcement.objects.get(event=event, seq=after.seq).body)
    assert after.matches.get().window_s == before.window_s
    after.matches.update(game="removed-game")
    for box_url in (settings.BALLOT_BOX_URL, "redis://127.0.0.1:1/0"):
        settings.BALLOT_BOX_URL = box_url
        response = browser.post(edit_path(event), answers(name="Renamed"), follow=True)
        assert "The screens could not be notified" in response.content.decode()
    assert Event.objects.get(pk=event.pk).name == "Renamed"


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


@pytest.mark.parametrize(
    "preset", [one for one in PRESETS if not one.needs_form], ids=lambda preset: preset.slug
)
def test_preset_creates_same_event(preset: Preset, browser: Client, organizer: User, box: BallotBox) -> None:
    path, page = f"/console/new/{preset.slug}/", browser.get("/console/new/").content.decode()
    assert f'name="form" value="{preset.slug}"' in page
    assert browser.post("/console/new/", {"form": preset.slug}).headers["Location"] == path
    answer = browser.post(path, form_defaults(browser, path))
    assert answer.status_code == 302, re.findall(r"errorlist.*?</ul>", answer.content.decode())
    by_form = organizer.events.get()
    if preset is EMPTY_PRESET:
        event = preset.create(organizer)
    else:
        assert f'name="preset" value="{preset.slug}"' in page
        answer = browser.post("/console/new/", {"preset": preset.slug})
        event = organizer.events.exclude(pk=by_form.pk).get()
        assert answer.headers["Location"] == f"/console/{event.code}/{'tickets/' if preset.solo else ''}"
        one, two = event.teams.order_by("number")
        assert {one.name, two.name} < {*TEAM_NAMES, "The computer", "One person", "The world"}
        assert event.name == f"{one.name} vs. {two.name}"
    assert event_settings(by_form) == event_settings(event)
    assert by_form.options["columns"] == event.options.get("columns", 7)
    assert sources(by_form) == sources(event) == preset.sources
    assert {name: getattr(event, name) for name in preset.choices} == preset.choices
    event.full_clean()
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    match.refresh_from_db()
    assert match.result == "red"


@pytest.mark.parametrize("preset", ["", "chess", "empty\0", "stream"])
def test_unknown_preset_or_stream_without_its_channel_creates_nothing(preset: str, browser: Client) -> None:
    page = browser.post("/console/new/", {"preset": preset}).content.decode()
    assert 'class="preset" name="form" value="stream"' in page
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


def schedule_path(event: Event) -> str:
    return f"/console/{event.code}/schedule/"


def schedule(browser: Client, event: Event, starts_at: str = "", ends_at: str = "", zone: str = "") -> Any:
    times = {"starts_at": starts_at, "ends_at": ends_at, "time_zone": zone}
    return browser.post(schedule_path(event), form_defaults(browser, schedule_path(event)) | times)


def scheduled(event: Event) -> tuple[int | None, int | None]:
    event.refresh_from_db()
    state = load_snapshot(event)
    assert (state.next_match_at, state.ends_at) == (event.next_match_at, event.ends_at)
    return state.next_match_at, state.ends_at


@pytest.mark.parametrize(
    ("zone", "hours_earlier"), [("Europe/Berlin", 2), ("America/New_York", -4), ("", 0), ("Nowhere", 0)]
)
def test_schedule_is_read_in_time_zone(browser: Client, event: Event, zone: str, hours_earlier: int) -> None:
    assert schedule(browser, event, "2999-07-01T12:00", "2999-07-01T13:00", zone).status_code == 302
    start = NOON_UTC - hours_earlier * HOUR_MS
    assert scheduled(event) == (start, start + HOUR_MS)
    page = browser.get(schedule_path(event)).content.decode()
    assert f'value="2999-07-01T{12 - hours_earlier}:00"' in page
    assert schedule(browser, event).status_code == 302
    assert scheduled(event) == (None, None)
    assert "the end for 2999-07-01" in str(event.audit_entries.order_by("pk")[0])


@pytest.mark.parametrize(
    ("starts_at", "ends_at", "error"),
    [
        ("2001-01-01T12:00", "", "This time has passed"),
        ("", "2001-01-01T12:00", "This time has passed"),
        ("2999-07-01T12:00", "2999-07-01T12:00", "must end after"),
        ("soon", "", "Enter a date"),
        ("", "9999-12-31T23:59", ""),  # which New York cannot show in UTC
    ],
)
def test_wrong_times_fail(browser: Client, event: Event, starts_at: str, ends_at: str, error: str) -> None:
    answer = schedule(browser, event, starts_at, ends_at, "America/New_York")
    assert (answer.status_code, error in answer.content.decode()) == (200, True)
    assert scheduled(event) == (None, None)


@pytest.mark.parametrize(("shown", "now"), [(NOON_UTC - 1_234,) * 2, (1, 1), (None, NOON_UTC)])
def test_untouched_time_stays_as_it_is_now(
    browser: Client, event: Event, shown: int | None, now: int
) -> None:
    Event.objects.update(next_match_at=shown)
    page = form_defaults(browser, schedule_path(event))
    Event.objects.update(next_match_at=now)
    browser.post(schedule_path(event), page | {"ends_at": "2999-07-01T13:00"})
    assert scheduled(event) == (now, NOON_UTC + HOUR_MS)


def test_only_owner_plans(browser: Client, event: Event, other: User, box: BallotBox) -> None:
    """During a match, only the end."""
    browser.force_login(other)
    assert schedule(browser, event, "2999-07-01T12:00").status_code == 404
    browser.force_login(event.owner)
    start_match(event.pk, box)
    assert schedule(browser, event, "2999-07-01T12:00", "2999-07-01T13:00").status_code == 302
    assert scheduled(event) == (None, NOON_UTC + HOUR_MS)
    during_match = form_defaults(browser, schedule_path(event))
    press(event.pk, "match.abort", box)
    Event.objects.update(next_match_at=NOON_UTC)
    browser.post(schedule_path(event), during_match | {"ends_at": ""})
    assert scheduled(event) == (NOON_UTC, None)
    assert not event.audit_entries.filter(what__contains="start").exists()
