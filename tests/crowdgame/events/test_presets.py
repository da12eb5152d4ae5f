"""Event presets: each creates an event in one click and prefills the event form."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.events.forms import EventForm
from crowdgame.events.presets import EMPTY_PRESET, PRESETS, Preset
from games.models import Event
from games.names import TEAM_NAMES
from tests.voting.action_helpers import press
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db

READY_PRESETS = [preset for preset in PRESETS if preset is not EMPTY_PRESET]
IGNORED_FIELDS = {"id", "code", "name", "created_at", "options"}


@pytest.fixture
def organizer() -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def browser(client: Client, organizer: User) -> Client:
    client.force_login(organizer)
    return client


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


def event_settings(event: Event) -> dict[str, Any]:
    fields = {f.name: f.value_from_object(event) for f in Event._meta.concrete_fields}
    return {name: value for name, value in fields.items() if name not in IGNORED_FIELDS}


def hands(event: Event) -> set[int]:
    return set(event.teams.filter(hands=True).values_list("number", flat=True))


@pytest.mark.parametrize("preset", READY_PRESETS, ids=lambda preset: preset.slug)
def test_preset_creates_event_in_one_click(preset: Preset, browser: Client, organizer: User) -> None:
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


def test_creation_message_appears_only_on_the_page_of_its_event(browser: Client, organizer: User) -> None:
    browser.post("/console/new/", {"preset": READY_PRESETS[0].slug})
    assert "is ready" not in browser.get("/console/").content.decode()
    with_tickets = {**form_defaults(browser, "/console/new/empty/"), "admission": "tickets"}
    answer = browser.post("/console/new/empty/", with_tickets)
    event = organizer.events.order_by("-pk")[0]
    assert answer.headers["Location"] == f"/console/{event.code}/tickets/"
    assert f"Its code is {event.code}." in browser.get(answer.headers["Location"]).content.decode()
    assert "is ready" not in browser.get("/console/").content.decode()


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


def test_copied_event_repeats_its_settings(browser: Client, organizer: User) -> None:
    before = PRESETS[1].create(organizer)
    before.teams.filter(number=2).update(name="4b", hands=True)
    path = f"/console/{before.code}/again/"
    assert f'href="{path}"' in browser.get("/console/").content.decode()
    assert browser.post(path, form_defaults(browser, path)).status_code == 302
    another = organizer.events.exclude(pk=before.pk).get()
    assert (event_settings(another), another.name, hands(another)) == (
        event_settings(before),
        before.name,
        {2},
    )
    assert list(another.teams.values_list("name")) == list(before.teams.values_list("name"))
    assert another.code != before.code


def test_other_users_event_cannot_be_copied(browser: Client) -> None:
    new_user = User.objects.create_user("bert")
    code = PRESETS[0].create(new_user).code
    assert browser.get(f"/console/{code}/again/").status_code == 404


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.slug)
def test_event_from_preset_can_be_played(preset: Preset, organizer: User, box: BallotBox) -> None:
    event = preset.create(organizer)
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    match.refresh_from_db()
    assert match.result == "red"


def test_presets_are_listed_in_order() -> None:
    assert [preset.slug for preset in PRESETS] == [
        "two-halls", "first-game", "class-against-class", "show-of-hands", "best-of-three", "empty",
    ]  # fmt: skip


@pytest.mark.parametrize("preset", ["", "chess", "empty\0"])
def test_unknown_preset_creates_nothing(preset: str, browser: Client) -> None:
    assert browser.post("/console/new/", {"preset": preset}).status_code == 200
    assert not Event.objects.exists()
    assert browser.get("/console/new/chess/").status_code == 404


def test_typed_names_replace_drawn_names(browser: Client, organizer: User) -> None:
    path = "/console/new/two-halls/"
    sent = form_defaults(browser, path) | {"team_1": "Port", "team_2": "Starboard"}
    browser.post(path, sent)
    assert organizer.events.get().name == "Port vs. Starboard"
    browser.post(path, sent | {"name": "Harbour night"})
    assert organizer.events.filter(name="Harbour night").exists()


# ------------------------------------------------------------------ editing
def edited(browser: Client, event: Event, **changes: str) -> Event:
    path = f"/console/{event.code}/edit/"
    sent = form_defaults(browser, path) | changes
    answer = browser.post(path, {name: value for name, value in sent.items() if value != "off"})
    assert answer.status_code == 302, re.findall(r"errorlist.*?</ul>", answer.content.decode())
    return Event.objects.get(pk=event.pk)


def test_unchanged_edit_form_changes_only_seq(browser: Client, organizer: User, valkey_url: str) -> None:
    event = Event.objects.get(pk=PRESETS[3].create(organizer).pk)
    Event.objects.filter(pk=event.pk).update(best_of=9, talk_s=45, hide_code=True)
    before = Event.objects.get(pk=event.pk)
    after = edited(browser, event)
    assert event_settings(after) == event_settings(before) | {"seq": before.seq + 1}
    assert (hands(after), after.name) == ({2}, before.name)


def test_edit_form_sets_and_clears_options(browser: Client, organizer: User, valkey_url: str) -> None:
    event = EMPTY_PRESET.create(organizer)
    ticks = dict.fromkeys(("own_counts", "hands_1"), "on")
    after = edited(browser, event, **ticks, talk_s_usual="60", best_of="5")
    assert (after.talk_s, after.best_of, hands(after), after.own_counts) == (60, 5, {1}, True)
    after = edited(browser, event, **dict.fromkeys(ticks, "off"), talk_s_usual="", best_of="")
    assert (after.talk_s, after.best_of, hands(after), after.own_counts) == (0, None, set(), False)


def test_new_event_form_sets_hidden_display_parts(browser: Client, organizer: User, valkey_url: str) -> None:
    path = "/console/new/empty/"
    browser.post(path, form_defaults(browser, path) | {"hide_code": "on", "hide_tally": "on"})
    event = organizer.events.get()
    assert (event.hide_code, event.hide_turnout, event.hide_tally) == (True, False, True)


def test_stale_edit_form_keeps_console_changes(browser: Client, organizer: User, box: BallotBox) -> None:
    event = EMPTY_PRESET.create(organizer)
    old = form_defaults(browser, f"/console/{event.code}/edit/")
    for part in ("code", "turnout", "tally"):
        press(event.pk, "part.hide", box, part=part)
    press(event.pk, "notice.show", box, text="Lunch")
    press(event.pk, "turn.extra_time", box, seconds=30)
    browser.post(f"/console/{event.code}/edit/", old)
    after = Event.objects.get(pk=event.pk)
    assert (after.hide_code, after.hide_turnout, after.hide_tally) == (True, True, True)
    assert (after.notice, after.extra_s) == ("Lunch", 30)


def test_show_of_hands_cannot_change_during_match(browser: Client, organizer: User, box: BallotBox) -> None:
    event = EMPTY_PRESET.create(organizer)
    path = f"/console/{event.code}/edit/"
    press(event.pk, "match.start", box)
    answer = browser.post(path, form_defaults(browser, path) | {"hands_2": "on", "name": "Renamed"})
    assert "A match is live. Change this when the match is over." in answer.content.decode()
    unchanged = Event.objects.get(pk=event.pk)
    assert (hands(unchanged), unchanged.name) == (set(), event.name)
    assert edited(browser, event, name="Renamed").name == "Renamed"
    press(event.pk, "match.abort", box)
    assert hands(edited(browser, event, hands_2="on")) == {2}


def test_event_edit_is_audited_with_its_changes(browser: Client, organizer: User, box: BallotBox) -> None:
    event = EMPTY_PRESET.create(organizer)
    edited(browser, event)
    assert not event.audit_entries.exists()
    edited(browser, event, team_1="Owls", talk_s_usual="60", own_counts="on")
    entry = event.audit_entries.get()
    assert (entry.by, entry.action, entry.undo) == (organizer.get_username(), "event.edit", None)
    own = "show each team its own votes so far on its phones (all screens say so)"
    assert entry.what == f"changed First team, red: Owls, time to talk before each vote: 1 minute, {own}"


def test_event_form_unfolds_sections_with_unusual_or_wrong_values() -> None:
    assert EventForm(instance=EMPTY_PRESET.build_event()).open_sections == set()
    open_sections = {
        preset.slug: EventForm(instance=preset.build_event()).open_sections for preset in PRESETS
    }
    assert open_sections["class-against-class"] == {"joining"}
    assert open_sections["best-of-three"] == {"series"}
    assert open_sections["two-halls"] == set()
    wrong = EventForm({"tie_rule": "coin"}, instance=EMPTY_PRESET.build_event())
    assert "fine" in wrong.open_sections
