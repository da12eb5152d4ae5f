"""The event form: stored and refused values, presets, and edits that are announced to the screens."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from crowdgame.events.forms import EventForm
from crowdgame.events.presets import EMPTY_PRESET, PRESETS, Preset
from tests.voting.action_helpers import press
from tests.voting.match_helpers import RED_WINS, play
from tests.voting.page_fixtures import CLASSIC, SIMULTANEOUS, answers
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.methods.voting_method import METHODS
from voting.models import Announcement, Event
from voting.names import TEAM_NAMES
from voting.turns.turns import start_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]

NEW = "/console/new/empty/"
READY_PRESETS = [preset for preset in PRESETS if preset is not EMPTY_PRESET]
IGNORED_FIELDS = {"id", "code", "name", "created_at", "options"}
BANK = {"clock": "bank", "bank_s_usual": "300", "increment_s_usual": "5", "cap_s_usual": "20"}
NO_BANK = {"bank_s": None, "increment_s": 0, "cap_s": None, "crowd_clocks": False}


class _FormDefaults(HTMLParser):
    """Collects what a browser submits for an untouched form."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, str] = {}
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        name, value = attributes.get("name") or "", attributes.get("value") or ""
        if tag == "input" and (
            attributes.get("type") not in {"radio", "checkbox"} or "checked" in attributes
        ):
            self.sent[name] = value or ("on" if attributes.get("type") == "checkbox" else "")
        if tag == "select":
            self._select = name
        if tag == "option" and ("selected" in attributes or self._select not in self.sent):
            self.sent[self._select] = value


def form_defaults(browser: Client, path: str) -> dict[str, str]:
    page = _FormDefaults()
    page.feed(browser.get(path).content.decode())
    return page.sent


def edit_path(event: Event) -> str:
    return f"/console/{event.code}/edit/"


def event_settings(event: Event) -> dict[str, Any]:
    fields = {f.name: f.value_from_object(event) for f in Event._meta.concrete_fields}
    return {name: value for name, value in fields.items() if name not in IGNORED_FIELDS}


def hands(event: Event) -> set[int]:
    return set(event.teams.filter(hands=True).values_list("number", flat=True))


# ------------------------------------------------------------------ values
def duration(name: str, number: int, unit: int) -> dict[str, str]:
    return {f"{name}_usual": "other", f"{name}_number": str(number), f"{name}_unit": str(unit)}


@pytest.mark.parametrize(
    ("fields", "stored"),
    [
        ({}, {"window_s": 20, "pace": "normal", "bank_s": None}),
        ({}, {"options": {"columns": 7, "rows": 6, "token": "lot", "tie": "other"}}),
        (
            {"game": CLASSIC, f"{CLASSIC}-columns": "6", f"{CLASSIC}-first": "yellow"},
            {"game": CLASSIC, "options": {"columns": 6, "rows": 6, "first": "yellow"}},
        ),
        ({"close_early": "on"}, {"close_early": True}),
        ({"language": "ar"}, {"language": "ar"}),
        ({"next_match_after_s_usual": "30"}, {"next_match_after_s": 30}),
        ({"tie_rule": "captain"}, {"tie_rule": "captain"}),
        ({"tally_method": "approval", "resign": "two_thirds"}, {"resign": "two_thirds"}),
        (duration("window_s", 3, 1), {"window_s": 3}),
        (duration("window_s", 90, 60), {"window_s": 5400}),
        (duration("window_s", 30, 86400), {"window_s": 2_592_000}),
        (BANK, {"bank_s": 300, "increment_s": 5, "cap_s": 20, "crowd_clocks": True, "window_s": 300}),
        *[
            ({"admission": name, "peek": "on"}, {"admission": name, "peek": True})
            for name in ("open", "rotating", "tickets", "roster")
        ],
        *[({"tally_method": name}, {"tally_method": name}) for name in METHODS],
    ],
)
def test_event_form_stores_values_and_shows_them_again(
    browser: Client, organizer: User, fields: dict[str, str], stored: dict[str, Any]
) -> None:
    response = browser.post(NEW, answers(**fields))
    event = organizer.events.get()
    leads_to = "tickets/" if event.admission in {"tickets", "roster"} else ""
    assert response.headers["Location"] == f"/console/{event.code}/{leads_to}"
    assert event.name == "Harbour night"
    assert list(event.teams.order_by("number").values_list("name", flat=True)) == ["Port", "Starboard"]
    assert {name: getattr(event, name) for name in stored} == stored
    assert fields.items() <= form_defaults(browser, edit_path(event)).items()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"name": "x" * 81}, "at most 80 characters"),
        ({"team_2": ""}, "Enter a team name."),
        ({"team_2": "PORT"}, "Enter two different team names."),
        ({"game": "chess"}, "Select a valid choice"),
        ({f"{SIMULTANEOUS}-columns": "9"}, "Choose one of these."),
        ({"window_s_usual": ""}, "Choose a duration."),
        ({"window_s_usual": "other"}, "Enter a number and choose a unit."),
        (duration("window_s", 2, 1), "Choose between 3 seconds and 30 days."),
        (duration("window_s", 31, 86400), "Choose between 3 seconds and 30 days."),
        ({"window_s_usual": "other", "window_s_number": "1e9"}, "Enter a whole number."),
        ({"tie_rule": "coin"}, "Select a valid choice"),
        ({"tally_method": "loudest"}, "Select a valid choice"),
        ({**BANK, "bank_s_usual": ""}, "Choose a duration."),
        ({**BANK, **duration("bank_s", 2, 1)}, "Choose between 3 seconds and 30 days."),
        ({**BANK, **duration("bank_s", 31, 86400)}, "and 30 days."),
        ({**BANK, "bank_s_usual": "60", **duration("cap_s", 61, 1)}, "more than the whole clock"),
        ({**BANK, **duration("increment_s", 25, 3600)}, "and 1 day."),
        ({**BANK, "hands_2": "on"}, "A team without phones cannot have a clock"),
        *[
            ({"max_side_changes": "1", **revealing}, "Secret sides cannot be combined")
            for revealing in (
                {"hands_1": "on"},
                {"hands_2": "on"},
                BANK,
                {"tie_rule": "captain"},
                {"peek": "on"},
                {"own_counts": "on"},
            )
        ],
    ],
)
def test_invalid_event_form_shows_error_and_creates_nothing(
    browser: Client, changes: dict[str, str], text: str
) -> None:
    response = browser.post(NEW, answers(**changes))
    page = response.content.decode()
    assert response.status_code == 200
    assert text in page
    assert "Not saved yet" in page
    assert not Event.objects.exists()


def test_event_form_ignores_errors_of_unselected_clock(browser: Client, organizer: User) -> None:
    browser.post(NEW, answers(**BANK, window_s_usual=""))
    browser.post(NEW, answers(**BANK | {"clock": "window", "bank_s_usual": "", "cap_s_usual": "86400"}))
    assert sorted(created.bank_s or 0 for created in organizer.events.all()) == [0, 300]


def test_time_bank_applies_to_turns(browser: Client, organizer: User, box: BallotBox) -> None:
    browser.post(NEW, answers(**BANK))
    match = start_match(organizer.events.get().pk, box)
    turn = match.turns.get()
    assert (match.crowd_clocks, turn.red_bank_ms, turn.closes_at - turn.opens_at) == (True, 300_000, 20_000)


def test_new_event_form_sets_hidden_display_parts(browser: Client, organizer: User) -> None:
    browser.post(NEW, answers(hide_code="on", hide_tally="on"))
    event = organizer.events.get()
    assert (event.hide_code, event.hide_turnout, event.hide_tally) == (True, False, True)


def test_event_form_explains_every_choice(browser: Client) -> None:
    page = browser.get(NEW).content.decode()
    for method in METHODS.values():
        assert f"<strong>{method.label}</strong> {method.hint}" in page
    assert "Someone with two phones has two votes" in page


def test_event_form_unfolds_sections_with_unusual_or_wrong_values() -> None:
    unfolded = {preset.slug: EventForm(instance=preset.build_event()).open_sections for preset in PRESETS}
    expected = {
        "class-against-class": {"joining"},
        "best-of-three": {"series"},
        "two-halls": set(),
        "empty": set(),
    }
    assert expected.items() <= unfolded.items()
    wrong = EventForm({"tie_rule": "coin"}, instance=EMPTY_PRESET.build_event())
    assert "fine" in wrong.open_sections


# ------------------------------------------------------------------ presets
def test_presets_are_listed_in_order() -> None:
    assert [preset.slug for preset in PRESETS] == [
        "two-halls", "first-game", "class-against-class", "show-of-hands", "best-of-three", "empty",
    ]  # fmt: skip


@pytest.mark.parametrize("preset", READY_PRESETS, ids=lambda preset: preset.slug)
def test_preset_creates_playable_event_in_one_click(
    preset: Preset, browser: Client, organizer: User, box: BallotBox
) -> None:
    page = browser.get("/console/new/").content.decode()
    assert f'name="preset" value="{preset.slug}"' in page
    answer = browser.post("/console/new/", {"preset": preset.slug})
    event = organizer.events.get()
    assert answer.headers["Location"] == f"/console/{event.code}/"
    one, two = event.teams.order_by("number")
    assert {one.name, two.name} < set(TEAM_NAMES)
    assert event.name == f"{one.name} vs. {two.name}"
    assert hands(event) == preset.hands
    for name, value in preset.choices.items():
        assert getattr(event, name) == value
    event.full_clean()
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    match.refresh_from_db()
    assert match.result == "red"


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.slug)
def test_unchanged_preset_form_creates_same_event(preset: Preset, browser: Client, organizer: User) -> None:
    path = f"/console/new/{preset.slug}/"
    assert f'href="{path}"' in browser.get("/console/new/").content.decode()
    answer = browser.post(path, form_defaults(browser, path))
    assert answer.status_code == 302, re.findall(r"errorlist.*?</ul>", answer.content.decode())
    by_form, at_once = organizer.events.get(), preset.create(organizer)
    assert event_settings(by_form) == event_settings(at_once)
    assert hands(by_form) == preset.hands
    assert by_form.options["columns"] == at_once.options.get("columns", 7)


@pytest.mark.parametrize("preset", ["", "chess", "empty\0"])
def test_unknown_preset_creates_nothing(preset: str, browser: Client) -> None:
    assert browser.post("/console/new/", {"preset": preset}).status_code == 200
    assert not Event.objects.exists()
    assert browser.get("/console/new/chess/").status_code == 404


def test_creation_message_appears_only_on_the_page_of_its_event(browser: Client, organizer: User) -> None:
    browser.post("/console/new/", {"preset": READY_PRESETS[0].slug})
    assert "is ready" not in browser.get("/console/").content.decode()
    answer = browser.post(NEW, answers(admission="tickets"))
    event = organizer.events.order_by("-pk")[0]
    assert f"Its code is {event.code}." in browser.get(answer.headers["Location"]).content.decode()
    assert "is ready" not in browser.get("/console/").content.decode()


def test_typed_names_replace_drawn_names(browser: Client, organizer: User) -> None:
    path = "/console/new/two-halls/"
    sent = form_defaults(browser, path) | {"team_1": "Port", "team_2": "Starboard"}
    browser.post(path, sent)
    assert organizer.events.get().name == "Port vs. Starboard"
    browser.post(path, sent | {"name": "Harbour night"})
    assert organizer.events.filter(name="Harbour night").exists()


def test_copied_event_repeats_its_settings(browser: Client, organizer: User) -> None:
    before = PRESETS[1].create(organizer)
    before.teams.filter(number=2).update(name="4b", hands=True)
    path = f"/console/{before.code}/again/"
    assert f'href="{path}"' in browser.get("/console/").content.decode()
    assert browser.post(path, form_defaults(browser, path)).status_code == 302
    another = organizer.events.exclude(pk=before.pk).get()
    assert event_settings(another) == event_settings(before)
    assert (another.name, hands(another)) == (before.name, {2})
    assert list(another.teams.values_list("name")) == list(before.teams.values_list("name"))
    assert another.code != before.code


# ------------------------------------------------------------------ editing
def edited(browser: Client, event: Event, **changes: str) -> Event:
    sent = form_defaults(browser, edit_path(event)) | changes
    answer = browser.post(edit_path(event), {name: value for name, value in sent.items() if value != "off"})
    assert answer.status_code == 302, re.findall(r"errorlist.*?</ul>", answer.content.decode())
    return Event.objects.get(pk=event.pk)


def test_unchanged_edit_form_changes_only_seq(browser: Client, organizer: User) -> None:
    event = Event.objects.get(pk=PRESETS[3].create(organizer).pk)
    Event.objects.filter(pk=event.pk).update(best_of=9, talk_s=45, hide_code=True)
    before = Event.objects.get(pk=event.pk)
    after = edited(browser, event)
    assert event_settings(after) == event_settings(before) | {"seq": before.seq + 1}
    assert (hands(after), after.name) == ({2}, before.name)
    assert not event.audit_entries.exists()


def test_edit_form_sets_and_clears_options(browser: Client, organizer: User) -> None:
    event = EMPTY_PRESET.create(organizer)
    ticks = dict.fromkeys(("own_counts", "hands_1"), "on")
    after = edited(browser, event, **ticks, talk_s_usual="60", best_of="5", resign="two_thirds")
    assert (after.talk_s, after.best_of, hands(after), after.own_counts) == (60, 5, {1}, True)
    assert after.resign == "two_thirds"
    after = edited(browser, event, **dict.fromkeys(ticks, "off"), talk_s_usual="", best_of="", resign="")
    assert (after.talk_s, after.best_of, hands(after), after.own_counts) == (0, None, set(), False)
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
    changed = form_defaults(browser, edit_path(event)) | {"hands_2": "on", "name": "Renamed"}
    answer = browser.post(edit_path(event), changed)
    assert "A match is live. Change this when the match is over." in answer.content.decode()
    unchanged = Event.objects.get(pk=event.pk)
    assert (hands(unchanged), unchanged.name) == (set(), event.name)
    assert edited(browser, event, name="Renamed").name == "Renamed"
    press(event.pk, "match.abort", box)
    assert hands(edited(browser, event, hands_2="on")) == {2}


def test_event_edit_is_audited_with_its_changes(browser: Client, organizer: User) -> None:
    event = EMPTY_PRESET.create(organizer)
    edited(browser, event, team_1="Owls", talk_s_usual="60", own_counts="on")
    entry = event.audit_entries.get()
    assert (entry.by, entry.action, entry.undo) == (organizer.get_username(), "event.edit", None)
    own = "Show each team its own votes so far on its phones (all screens say so)"
    talk = "Time to talk before each vote: 1 minute"
    assert str(entry) == f"{entry.by} changed: First team, red: Owls, {talk}, {own}"


def test_new_event_has_the_language_of_its_organizer(client: Client) -> None:
    client.force_login(User.objects.create_user("ola"))
    assert (
        '<option value="fr" selected>' in client.get(NEW, headers={"accept-language": "fr"}).content.decode()
    )
    client.post("/console/new/", {"preset": "two-halls"}, headers={"accept-language": "de-AT"})
    event = Event.objects.get()
    assert (event.language, load_snapshot(event).language) == ("de", "de")
