import re

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from crowdgame.server.laptop.paths import ROOT
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.page_checks import axe_violations
from tests.e2e.scene_setup import find_scene, show_scene
from tests.e2e.scenes import PHONE_SCENES
from tests.e2e.screens import PHONE, TABLET, OpenScreen, open_console, open_phones, press, sign_in, vote
from tests.server import Server

DESKTOP: ViewportSize = {"width": 1280, "height": 800}
CLASS = "Ada Lovelace, Rooks\nAlan Turing, Rooks\nGrace Hopper, Doves\nKatherine Johnson, Doves"
FIRST_EVENT = (ROOT / "README.md").read_text().split("## Your first event")[1].split("\n\n")[1]


def test_console_finds_moves_removes_bans_and_readmits_voter(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", admission="roster", window_s=600, pace="dramatic")
    ada = server.ask("roster", event_id=event["id"], text=CLASS)[0]
    server.ask("begin", event_id=event["id"])
    display = open_at(DESKTOP, f"/display/{event['code']}").page
    phone = open_at(PHONE, f"/{event['code']}#{ada}")
    phone.wait_for(phase="voting", team="1")
    voter_code = shown_voter_code(phone.page)
    page = open_console(server, open_at, event["code"], DESKTOP).page
    people = page.get_by_role("region", name="People")
    rows, team = people.get_by_role("listitem"), people.get_by_label("Team")
    expect(rows).to_have_count(4)
    expect(rows.filter(has_text="Grace")).to_contain_text("not connected")
    team.select_option("Rooks")
    expect(rows).to_have_count(2)
    team.select_option(index=0)
    people.get_by_role("searchbox").fill("love")
    expect(rows).to_have_count(1)
    people.get_by_role("button", name="Move to Doves").click()
    phone.wait_for(team="2")
    people.get_by_role("button", name="Move back").click()
    phone.wait_for(team="1")
    vote(phone, 3)
    people.get_by_role("searchbox").fill(voter_code)
    votes = people.get_by_label("Vote", exact=True)
    votes.select_option("Not voted yet")
    expect(rows).to_have_count(0)
    votes.select_option("Voted")
    expect(rows).to_contain_text(["connected"])
    assert axe_violations(page, "people, filtered") == []
    votes.select_option(index=0)
    if not rows.get_by_role("button", name="Remove").is_visible():
        rows.locator("summary").click()
    rows.get_by_role("button", name="Remove").click()
    expect(phone.page.get_by_text("An organizer removed you.")).to_be_visible()
    expect(phone.page.get_by_text(voter_code)).to_be_visible()
    expect(rows).to_contain_text(["Removed"])
    page.get_by_role("button", name=re.compile(r"Undo: .* removed")).click()
    expect(phone.page.get_by_text("An organizer let you back in.")).to_be_visible()
    expect(phone.page.locator("main")).to_have_attribute("data-status", "counted")
    rows.get_by_role("button", name="Ban").click()
    expect(phone.page.get_by_text("An organizer banned you")).to_be_visible()
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.locator(".choice .column").first).to_have_text("3")  # the ballot counts
    rows.get_by_role("button", name="Unban").click()
    expect(phone.page.get_by_text("An organizer let you back in.")).to_be_visible()


@pytest.mark.nightly
def test_typed_nickname_is_allowed_then_removed_at_once(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", nicknames="typed")
    console = open_console(server, open_at, event["code"], DESKTOP)
    people = console.page.get_by_role("region", name="People")
    phone = open_at(PHONE, f"/{event['code']}").page
    phone.locator(".code summary").click()
    phone.get_by_role("textbox", name="Your own nickname").fill("Annie Lee")
    assert axe_violations(phone, "nickname") == []
    phone.keyboard.press("Enter")
    expect(phone.get_by_text("once an organizer has allowed it")).to_be_visible()
    expect(people.get_by_text("Nickname to allow")).to_be_visible()
    people.get_by_role("searchbox").fill("annie")
    people.get_by_role("button", name="Allow nickname").click()
    expect(people.get_by_text("Nickname to allow")).to_have_count(0)
    people.get_by_role("button", name="Remove nickname").click()
    expect(phone.get_by_text("An organizer removed your nickname.")).to_be_visible()
    expect(phone.get_by_text("Annie Lee")).to_have_count(0)
    expect(people.get_by_text("Nickname removed")).to_be_visible()


@pytest.mark.parametrize(
    "name", ["lobby", "talk", "voting", "paused", "sealed", "reveal-conflict-picks", "ended-won"]
)
def test_voter_code_is_one_tap_away(fake_gateway: FakeGateway, window: Page, name: str) -> None:
    show_scene("phone", find_scene(PHONE_SCENES, name), window, fake_gateway)
    assert re.fullmatch("[A-Z]{3}\u00a0[A-Z]{3}", shown_voter_code(window))


def shown_voter_code(phone: Page) -> str:
    phone.get_by_label("Voter code").click()
    code = phone.locator(".code b").inner_text()
    phone.get_by_label("Voter code").click()
    return code


@pytest.mark.nightly
def test_new_organizer_follows_the_readme_to_the_first_vote(server: Server, open_at: OpenScreen) -> None:
    section, template, big_screen, lobby, start = re.findall(r"\*(.+?)\*", FIRST_EVENT)
    console = open_at(TABLET)
    page = console.page
    sign_in(page, server, "nina")
    page.goto("/console/")
    expect(page.get_by_role("heading", name=section)).to_be_visible()
    page.get_by_role("button", name=template).first.click()
    with page.expect_popup() as opened:
        page.get_by_role("link", name=big_screen).click()
    display = opened.value.frame_locator("iframe.on").locator("body")
    page.get_by_role("button", name=lobby).click()
    expect(display).to_have_attribute("data-phase", "lobby")
    display.press("f")
    opened.value.wait_for_function("document.fullscreenElement !== null")
    open_phones(open_at, page.url.rstrip("/").rpartition("/")[2])
    page.get_by_role("button", name=start).first.click()
    console.wait_for(phase="voting")


@pytest.mark.nightly
def test_organizer_finds_and_changes_a_folded_setting(server: Server, open_at: OpenScreen) -> None:
    page = open_console(server, open_at, server.ask("event")["code"]).page
    page.goto("/console/new/empty/")
    find = page.get_by_label("Search settings")
    expect(find).to_be_hidden()
    page.get_by_text("More settings").click()
    find.fill("nothing like this")
    expect(page.get_by_text("No setting found")).to_be_visible()
    find.fill("columns tie")
    expect(page.get_by_role("heading", name="Series")).to_be_hidden()
    find.press("Enter")
    page.locator("[name=tie_rule][value=lot]").check()
    page.get_by_role("button", name="Create event").click()
    page.wait_for_url(re.compile(r"/console/[A-Z0-9]+/$"))
    page.goto(f"{page.url}edit/")
    expect(page.locator("[name=tie_rule][value=lot]")).to_be_checked()


@pytest.mark.nightly
def test_schedule_shows_local_times_and_keeps_an_untouched_one(server: Server, browser: Browser) -> None:
    noon_utc = 32_487_825_600_000
    event = server.ask("event", next_match_at=noon_utc + 1_234)
    with browser.new_context(base_url=server.http, timezone_id="America/New_York") as context:
        page = context.new_page()
        sign_in(page, server, "olga")
        page.goto(f"/console/{event['code']}/schedule/")
        expect(page.get_by_label("Next match starts")).to_have_value("2999-07-01T08:00")
        page.get_by_label("Event ends").fill("2999-07-01T09:00")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved.")).to_be_visible()
    times = server.rows("SELECT next_match_at, ends_at FROM games_event WHERE id = ?", event["id"])
    assert times == [(noon_utc + 1_234, noon_utc + 3_600_000)]


def test_rehearsal_starts_reports_and_stops(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", window_s=10, close_early=True)
    first = open_console(server, open_at, event["code"], DESKTOP)
    second = open_console(server, open_at, event["code"])
    first.page.get_by_label("Simulated phones").fill("6")
    first.page.keyboard.press("Enter")
    for screen in (first, second):
        expect(screen.page.get_by_role("link", name="A simulated crowd is playing")).to_be_visible()
        expect(screen.page.get_by_text("6 of 6")).to_be_visible()
    press(first, "match.start")
    counted = re.compile(r"All \d votes counted\. The slowest reply took \d+\sms\.")
    expect(second.page.locator(".verdict")).to_have_text(counted)
    press(second, "rehearsal.stop")
    for screen in (first, second):
        expect(screen.page.locator(".verdict")).to_contain_text("Last rehearsal: ")
        expect(screen.page.get_by_role("link", name="A simulated crowd is playing")).to_have_count(0)
        aborted = screen.page.get_by_role("heading", name="Match 1 was aborted")
        expect(aborted).to_be_visible(timeout=30_000)
        why = "The simulated crowd has left, so match 1 was aborted"
        expect(screen.page.get_by_text(why)).to_be_visible()


def test_rehearsal_with_people_requires_confirmation(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open")
    console = open_console(server, open_at, event["code"], DESKTOP)
    page = console.page
    page.get_by_label("Simulated phones").focus()
    page.keyboard.press("l")  # no shortcut in a field
    expect(page.locator('[data-action="joining.lock"]')).to_be_enabled()
    open_at(TABLET, f"/{event['code']}").wait_for(phase="lobby")
    expect(page.locator('[data-joined="1"]')).to_have_text("1")
    press(console, "rehearsal.start")
    start = page.locator('[data-action="rehearsal.start"]')
    expect(start).to_have_text("1 person joined. Start anyway?")
    expect(page.get_by_role("heading", name="A simulated crowd is playing")).to_have_count(0)
    page.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("l")
    expect(page.locator('[data-action="joining.unlock"]')).to_be_visible()
