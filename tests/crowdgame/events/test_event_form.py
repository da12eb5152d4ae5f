import re
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client

from crowdgame.events.form_conflicts import conflicts
from crowdgame.events.forms import EventForm
from crowdgame.events.presets import EMPTY_PRESET, PRESETS
from crowdgame.events.sites_field import SitesField
from tests.crowdgame.events.form_helpers import BANK, edit_path, event_settings, form_defaults, sources
from tests.voting.match_helpers import new_event
from tests.voting.page_fixtures import CLASSIC, SIMULTANEOUS, answers
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.methods.voting_method import METHODS
from voting.models import Event
from voting.terms import HANDS
from voting.turns.turns import start_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("box")]
NEW = "/console/new/empty/"
TEXTS = {"language": "ar", "analysis": "turn", "nicknames": "typed", "tie_rule": "captain"}
TEXTS |= {"embed_sites": "https://school.example"}
REVEALING = [{"source_1": HANDS}, {"source_2": HANDS}, {"peek": "on"}, {"own_counts": "on"}]
REVEALING += [BANK, {"tie_rule": "captain"}]


def duration(name: str, number: int, unit: int) -> dict[str, str]:
    return {f"{name}_usual": "other", f"{name}_number": str(number), f"{name}_unit": str(unit)}


def test_event_form_shows_shards(browser: Client, organizer: User, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 'name="shards"' not in browser.get(NEW).content.decode()
    browser.post(NEW, answers(shards="2"))
    monkeypatch.setattr(settings, "MAX_SHARDS", 2)
    assert 'name="shards"' in browser.get(NEW).content.decode()
    browser.post(NEW, answers(shards="2"))
    assert [event.shards for event in organizer.events.order_by("pk")] == [1, 2]


@pytest.mark.parametrize(
    ("fields", "stored"),
    [
        ({}, {"window_s": 20, "pace": "normal", "bank_s": None, "shards": 1}),
        ({}, {"options": {"columns": 7, "rows": 6, "token": "lot", "tie": "other"}}),
        (
            {"game": CLASSIC, f"{CLASSIC}-columns": "6", f"{CLASSIC}-first": "yellow"},
            {"game": CLASSIC, "options": {"columns": 6, "rows": 6, "first": "yellow"}},
        ),
        ({"close_early": "on", "store_ballots": "on"}, {"close_early": True, "store_ballots": True}),
        (TEXTS, TEXTS),
        ({"next_match_after_s_usual": "30"}, {"next_match_after_s": 30}),
        ({"host_wait_s_usual": "60"}, {"host_wait_s": 60}),
        ({"consent": "We film."}, {"consent": "We film.", "in_study": False}),
        ({"consent": "A study.", "in_study": "on"}, {"consent": "A study.", "in_study": True}),
        ({"tally_method": "approval", "resign": "two_thirds"}, {"resign": "two_thirds"}),
        (duration("window_s", 3, 1), {"window_s": 3}),
        (duration("window_s", 90, 60), {"window_s": 5400}),
        (duration("window_s", 30, 86400), {"window_s": 2_592_000}),
        (BANK, {"bank_s": 300, "increment_s": 5, "cap_s": 20, "crowd_clocks": True, "window_s": 300}),
        ({"peek": "on"}, {"peek": True}),
        *[({"admission": name}, {"admission": name}) for name in ("open", "rotating", "tickets", "roster")],
        *[({"tally_method": name}, {"tally_method": name}) for name in METHODS],
    ],
)
def test_event_form_stores_values_and_shows_them_again(
    browser: Client, organizer: User, fields: dict[str, str], stored: dict[str, Any]
) -> None:
    response = browser.post(NEW, answers(name=" Harbour\u200b  \u202enight ", **fields))
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
        *(({"team_2": name}, "Enter a team name.") for name in ("", "\u3164", "\ufeff\u2066")),
        ({"team_2": "PORT"}, "Enter two different team names."),
        *[
            ({name: value}, f"Select a valid choice. {value} is not")
            for name, value in [("game", "chess"), ("tie_rule", "coin"), ("tally_method", "loudest")]
            + [("source_1", source) for source in ("bot:6", "bot:")]
        ],
        ({f"{SIMULTANEOUS}-columns": "9"}, "Choose one of these."),
        ({"window_s_usual": ""}, "Choose a duration."),
        ({"window_s_usual": "other"}, "Enter a number and choose a unit."),
        (duration("window_s", 2, 1), "Choose between 3 seconds and 30 days."),
        (duration("window_s", 31, 86400), "Choose between 3 seconds and 30 days."),
        ({"window_s_usual": "other", "window_s_number": "1e9"}, "Enter a whole number."),
        ({"embed_sites": "http://school.example"}, "not “http://school.example”"),
        ({"embed_sites": " ".join(f"https://{n}.example" for n in range(11))}, "List at most 10 sites."),
        ({"in_study": "on"}, "Enter a text that names the study"),
        ({"consent": "x" * 401}, "at most 400 characters"),
        ({**BANK, "bank_s_usual": ""}, "Choose a duration."),
        ({**BANK, **duration("bank_s", 2, 1)}, "Choose between 3 seconds and 30 days."),
        ({**BANK, **duration("bank_s", 31, 86400)}, "and 30 days."),
        ({**BANK, "bank_s_usual": "60", **duration("cap_s", 61, 1)}, "more than the whole clock"),
        ({**BANK, **duration("increment_s", 25, 3600)}, "and 1 day."),
        ({**BANK, "host_wait_s_usual": "60"}, "a clock for each side can&#x27;t wait"),
        ({"host_wait_s_usual": "60", "window_s_usual": "3600"}, "at most ten minutes can wait"),
        (duration("host_wait_s", 181, 1), "Choose between 3 seconds and 3 minutes."),
        ({**BANK, "source_2": HANDS}, "A team without phones cannot have a clock"),
        ({"source_1": "bot:1", "source_2": "bot:5"}, "The computer can play only one of the teams."),
        *[
            ({"source_2": "twitch:", "source_2_address": channel}, "Enter the name of a Twitch channel")
            for channel in ("", "ab", "_late", "two words", "a" * 26, "x.tv/someone", "früh")
        ],
        *[
            ({"source_2": "discord:", "source_2_address": key}, "the public key of a Discord application")
            for key in ("", "rooks", "g" * 64, "a" * 63, "a" * 65)
        ],
        *[
            ({"source_1": one, "source_2": one.lower()}, "Each team needs its own channel or application.")
            for one in ("twitch:Rooks", f"discord:{'A' * 64}")
        ],
        ({"source_1": "twitch:rooks", "close_early": "on"}, "with a chat can&#x27;t close early"),
        ({"source_1": f"discord:{'a' * 64}", "close_early": "on"}, "with a chat can&#x27;t close early"),
        ({"source_1": "twitch:rooks", "in_study": "on", "consent": "We study votes."}, "by phone: a chat"),
        ({"source_1": "twitch:rooks", **duration("window_s", 44, 1)}, "needs at least 45 seconds"),
        ({"max_side_changes": "1", "team_discussion": "on"}, "teams cannot have a discussion"),
        *[({"max_side_changes": "1", **one}, "Secret sides cannot be combined") for one in REVEALING],
    ],
)
def test_event_form_refuses_invalid_values(changes: dict[str, str], text: str) -> None:
    assert text in str(EventForm(answers(**changes)).errors)


@pytest.mark.parametrize(
    ("source", "refused"),
    [("phones", False), (HANDS, False), ("bot:1", False), ("paper:desk-1", True)],
)
def test_study_needs_sources_that_show_the_consent_text_or_are_left_out(source: str, refused: bool) -> None:
    chosen = {"source_1": "phones", "source_2": source, "in_study": True}
    assert [name for name, _ in conflicts(chosen, has_clocks=False)] == ["in_study"] * refused
    assert list(conflicts(chosen | {"in_study": False}, has_clocks=False)) == []


@pytest.mark.parametrize(
    "typed", ["Rooks_2", " rooks_2 ", "#rooks_2", "https://www.twitch.tv/Rooks_2?sr=a", "twitch.tv/rooks_2/"]
)
def test_event_form_stores_the_channel_as_typed_in_many_ways(browser: Client, typed: str) -> None:
    channels = {"source_1": "twitch:", "source_1_address": typed, "source_2": "twitch:"}
    browser.post(NEW, answers(**channels, source_2_address="doves", **duration("window_s", 45, 1)))
    event = Event.objects.get()
    assert sources(event) == {1: "twitch:rooks_2", 2: "twitch:doves"}
    shown = form_defaults(browser, edit_path(event))
    assert (shown["source_1"], shown["source_1_address"]) == ("twitch:", "rooks_2")
    browser.post(edit_path(event), shown | {"source_1_address": "doves", "source_2_address": "rooks_2"})
    assert sources(event) == {1: "twitch:doves", 2: "twitch:rooks_2"}


def test_errors_describe_the_group_that_they_are_about(browser: Client) -> None:
    wrong = answers(**duration("window_s", 2, 1), tally_method="none").items()
    page = browser.post(NEW, dict(wrong)).content.decode()
    for group in (r"fieldset[^>]*window_s", "radiogroup[^>]*tally_method"):
        assert re.search(rf'{group}_error"', page)


def test_event_form_stores_discord_key_but_no_unneeded_address(browser: Client) -> None:
    key = {"source_2": "discord:", "source_2_address": f" {'A1' * 32} "}
    browser.post(NEW, answers(source_1=HANDS, source_1_address="rooks", **key, window_s_usual="20"))
    event = Event.objects.get()
    assert (event.window_s, sources(event)) == (20, {1: HANDS, 2: f"discord:{'a1' * 32}"})


@pytest.mark.parametrize("source", ["twitch:rooks", f"discord:{'a' * 64}"])
def test_channel_or_application_belongs_to_one_team_of_an_event(source: str) -> None:
    event, other = new_event(), new_event()
    event.teams.filter(number=1).update(source=source)
    other.teams.filter(number=1).update(source=source)
    with pytest.raises(IntegrityError), transaction.atomic():
        event.teams.filter(number=2).update(source=source)
    event.teams.update(source=HANDS)


def test_event_form_ignores_the_unselected_clock(browser: Client, organizer: User, box: BallotBox) -> None:
    page = browser.post(NEW, answers(team_2="PORT")).content.decode()
    for method in METHODS.values():
        assert f"<strong>{method.label}</strong> {method.hint}" in page
    assert "Enter two different team names." in page
    assert "Not saved yet" in page
    assert not Event.objects.exists()
    browser.post(NEW, answers(**BANK, window_s_usual=""))
    match = start_match(Event.objects.get().pk, box)
    turn = match.turns.get()
    assert (match.crowd_clocks, turn.red_bank_ms, turn.closes_at - turn.opens_at) == (True, 300_000, 20_000)
    browser.post(NEW, answers(**BANK | {"clock": "window", "bank_s_usual": "", "cap_s_usual": "86400"}))
    assert sorted(created.bank_s or 0 for created in organizer.events.all()) == [0, 300]


def test_event_form_unfolds_sections_with_unusual_or_wrong_values() -> None:
    unfolded = {preset.slug: EventForm(instance=preset.build_event()).open_sections for preset in PRESETS}
    expected = {"two-classes": {"seen"}, "best-of-three": {"series"}, "two-halls": set(), "empty": set()}
    assert expected.items() <= unfolded.items()
    wrong = EventForm({"tie_rule": "coin", "pace": "never"}, instance=EMPTY_PRESET.build_event())
    assert "fine" in wrong.open_sections
    assert wrong.differs_from_presets
    small: dict[str, Any] = {"options": {"columns": 6}}
    slow_first_game = small | {"pace": "dramatic", "nicknames": "off", "window_s": 90}
    lot, small_with_rule = {"tie_rule": "lot"}, small | {"tie_rule": "first"}
    for choices, opens in (({}, False), (slow_first_game, False), (lot, True), (small_with_rule, True)):
        assert EventForm(instance=Event(**choices)).differs_from_presets is opens


def test_new_event_has_organizers_language_and_is_announced_once(browser: Client, organizer: User) -> None:
    french = browser.get(NEW, headers={"accept-language": "fr"}).content.decode()
    assert '<option value="fr" selected>' in french
    browser.post("/console/new/", {"preset": "two-halls"}, headers={"accept-language": "de-AT"})
    assert load_snapshot(organizer.events.get()).language == "de"
    assert "is ready" not in browser.get("/console/").content.decode()
    answer = browser.post(NEW, answers(admission="tickets", hide_code="on", hide_tally="on"))
    event = organizer.events.latest("pk")
    assert (event.hide_code, event.hide_turnout, event.hide_tally) == (True, False, True)
    assert f"Its code is {event.code}." in browser.get(answer.headers["Location"]).content.decode()
    assert "is ready" not in browser.get("/console/").content.decode()


def test_copied_event_repeats_its_settings(browser: Client, organizer: User) -> None:
    before = PRESETS[1].create(organizer)
    before.teams.filter(number=2).update(name="4b", source=HANDS)
    path = f"/console/{before.code}/again/"
    assert f'href="{path}"' in browser.get("/console/").content.decode()
    assert browser.post(path, form_defaults(browser, path)).status_code == 302
    another = organizer.events.exclude(pk=before.pk).get()
    assert event_settings(another) == event_settings(before)
    assert (another.name, sources(another)) == (before.name, {2: HANDS})
    names = [list(one.teams.order_by("number").values_list("name", flat=True)) for one in (another, before)]
    assert names[0] == names[1]
    assert another.code != before.code


@pytest.mark.parametrize(
    ("typed", "origins"),
    [
        ("", ""),
        ("https://school.example", "https://school.example"),
        ("https://School.Example:443/news/?page=1#top", "https://school.example"),
        ("https://school.example:8443", "https://school.example:8443"),
        ("https://b.example,\n https://a.example https://b.example/", "https://b.example https://a.example"),
        ("https://schüler.example", "https://xn--schler-5ya.example"),
        ("https://192.0.2.1", "https://192.0.2.1"),
    ],
)
def test_sites_that_may_embed_are_stored_as_origins(typed: str, origins: str) -> None:
    assert SitesField().clean(typed) == origins
    assert len(SitesField().clean(" ".join(f"https://{n}.example" for n in range(10))).split()) == 10


@pytest.mark.parametrize(
    "site",
    [
        *("http://school.example", "school.example", "javascript:alert(1)", "https:", "https://", "*"),
        *("https://*.example", "https://a.example;script-src", "'self'", "data:", "https://a..b"),
        *("https://user@school.example", "https://school.example:99999", "https://school.example:x"),
        *("https://[::1]", "https://[", "https://-", "https://school.example.", "https://a\x7fb.example"),
        "https://" + "a." * 500 + "example",
    ],
)
def test_other_addresses_are_refused(site: str) -> None:
    with pytest.raises(ValidationError):
        SitesField().clean(site)
