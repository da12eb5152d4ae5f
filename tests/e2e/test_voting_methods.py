from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.page_checks import text_faults
from tests.e2e.scene_setup import MIDDLE, Show, timed_selector
from tests.e2e.screens import OLD_PROJECTOR, SMALL_PHONE, OpenScreen, Screen, open_turn, says, tap, vote
from tests.e2e.scripts import page_script
from tests.server import Server

LOADED_MS = 30_000  # the deferred part comes when the phone is idle
NASTY = "<img src=x onerror='window.ran = 1'> 4"
GOOFSPIEL = {"game": "goofspiel", "options": {"cards": 5, "order": [3, 5, 1, 2, 4]}}
# The plate closes after three seconds, so this looks again until the answer has arrived.
REVEAL_UNTIL = """(expected) => {
  const shown = document.querySelector(".plate b")?.textContent;
  if (!shown) document.querySelector('[data-do="look"]').click();
  return shown === expected;
}"""
APPEARANCE = "() => [document.body.dataset.team, getComputedStyle(document.body).backgroundColor].join()"


def click(screen: Screen, *columns: int) -> None:
    for column in columns:
        screen.page.locator(f'[data-column="{column}"]').click()


@pytest.mark.parametrize("hidden", [False, True], ids=["seen", "hidden"])
def test_team_resigns_after_confirmed_request(server: Server, open_at: OpenScreen, hidden: bool) -> None:
    event, display, red, yellow = open_turn(server, open_at, resign="two_thirds")
    click(red, 3)
    click(yellow, 3)
    says(red, "Counted: your vote for\u00a03.")
    if hidden:
        tap(red.page.locator('[data-do="hide"]'))
    wish = red.page.locator('[data-do="resign"]')
    wish.click()
    expect(wish).to_have_text("Sure? Tap again")
    wish.click()
    expect(red.page.locator("main")).to_have_attribute("data-status", "counted")
    expect(wish).to_have_attribute("aria-pressed", "false" if hidden else "true")
    if hidden:  # repeat it: the request to resign must stay
        wish.click()
        wish.click()
    click(red, 4)
    says(red, "Counted." if hidden else "Counted: your vote for\u00a04.")
    for phone in (red, yellow):
        assert phone.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".choice .none")).to_have_text("Gives up")
    says(yellow, "Doves wins. Rooks gave up.")
    expect(display.page.locator(".end")).to_contain_text("Rooks gave up")


@pytest.mark.parametrize(
    ("game", "names", "sentence"),
    [
        (GOOFSPIEL, "24", "Rooks bid 2, Doves bid 4: Doves won 3. Rooks 0, Doves 3."),
        ({"game": "trails"}, "↑↓", "Rooks: ↑, Doves: ↓."),
    ],
    ids=["goofspiel", "trails"],
)
def test_drawn_game_turn_is_shown_on_all_pages(
    server: Server, open_at: OpenScreen, game: dict[str, Any], names: str, sentence: str
) -> None:
    event, display, red, yellow = open_turn(server, open_at, **game)
    picks = {"2": 2, "4": 4, "↑": 1, "↓": 3}
    vote(red, picks[names[0]])
    says(red, f"your vote for\u00a0{names[0]}.")
    yellow.page.locator("[data-column]:enabled").first.wait_for()
    yellow.page.keyboard.press(str(picks[names[1]]))
    expect(yellow.page.locator("main")).to_have_attribute("data-status", "counted")
    for screen in (display, red, yellow):
        for label in ("Prize", "Points") if game is GOOFSPIEL else ():
            expect(screen.page.locator(".mark").get_by_text(label).first).to_be_visible()
        assert screen.page.evaluate(page_script("is_usable"))
    marks_js = "[...document.querySelectorAll('.mark')].map((mark) => mark.getAttribute('style'))"
    before = display.page.evaluate(marks_js)
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".choice .column")).to_have_text([*names])
    expect(red.page.locator(".sentence")).to_have_text(sentence)
    assert display.page.evaluate(marks_js) != before
    report = open_at(OLD_PROJECTOR, f"/report/{event['code']}/1").page
    expect(report.get_by_text(sentence)).to_be_visible()
    expect(report.locator("svg.drawing").first).to_be_visible()


def test_single_selector_full_turn(server: Server, open_at: OpenScreen) -> None:
    terms: dict[str, Any] = {"game": "single-selector", "options": {"token": "red"}}
    event, display, red, yellow = open_turn(server, open_at, pace="normal", **terms)
    display.page.set_viewport_size(OLD_PROJECTOR)
    says(red, "Choose in secret")
    says(yellow, "Rooks chooses in secret")
    expect(yellow.page.locator("[data-column]:enabled")).to_have_count(0)
    vote(red, 4)
    says(red, "Counted: your vote for\u00a04.")
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".chest")).to_contain_text("Chosen in secret")
    server.ask("open_turn_now", event_id=event["id"])
    says(red, "Doves votes: everyone sees it.")
    says(yellow, "Vote now: everyone sees it.")
    assert display.page.locator(".choice, .bars .votes[data-side=red]").count() == 0
    vote(yellow, 4)
    expect(display.page.locator(".bars .votes").nth(3)).to_have_attribute("data-votes", "1")
    name = "Column 4, 0 of 6 full, 1 vote"
    for phone, label in ((red, name), (yellow, f"{name}, your choice")):
        expect(phone.page.locator("[data-column='4']")).to_have_accessible_name(label)
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".choice .column")).to_have_text(["4", "4"])
    expect(display.page.locator(".chest")).to_have_count(0)
    for phone in (red, yellow):
        expect(phone.page.locator(".receipts summary")).to_contain_text("Counted and checked")
    says(yellow, "Choose in secret")


def test_seal_and_time_bank_do_not_overlap(show: Show) -> None:
    page = show("display", timed_selector(MIDDLE))
    expect(page.locator(".seal:not(.time-bank)")).to_have_text("Sealed")
    expect(page.locator(".time-bank")).to_have_count(2)
    assert text_faults(page, (1280, 720), (1024, 768)) == []


def test_side_change_stays_hidden_until_the_end(server: Server, open_at: OpenScreen) -> None:
    terms: dict[str, Any] = {"max_side_changes": 1, "turn_points": True, "close_early": True}
    _, display, one, two = open_turn(server, open_at, **terms)
    phones = one, two
    vote(one, 3)
    vote(two, 5)
    one.wait_for(phase="reveal")
    before = one.page.evaluate(APPEARANCE)
    one.page.locator('[data-do="side"]').click()
    one.page.locator('[data-do="cross"]').click()
    expect(one.page.locator('[data-do="remain"]')).to_be_disabled()
    expect(one.page.get_by_role("dialog").get_by_role("status")).to_contain_text("Saved.")
    one.page.wait_for_function(REVEAL_UNTIL, arg="You play for Doves.")
    expect(one.page.locator(".plate b")).to_have_count(0)
    one.page.locator('.sides [data-do="close"]').click()
    assert one.page.evaluate(APPEARANCE) == before
    for phone in phones:
        phone.wait_for(phase="voting")
        vote(phone, 4)
    for screen in (*phones, display):
        screen.wait_for(phase="ended")
    for phone, points in ((one, "One point."), (two, "2 points.")):
        status = phone.page.get_by_role("status")
        expect(status).to_contain_text(f"You ended on the winning side. {points}")
    expect(display.page.locator(".side-changes")).to_contain_text("1 switched in time")


def test_mark_has_the_symbol_that_the_phone_shows(server: Server, open_at: OpenScreen) -> None:
    event, display, phone, _ = open_turn(server, open_at)
    button = phone.page.get_by_role("button", name="Find my drop")
    expect(button).to_have_count(0)
    vote(phone, 4)
    button.click()
    notice = phone.page.locator(".drop")
    expect(notice).to_contain_text("will mark your drop")
    server.ask("close_after", event_id=event["id"], ms=300)
    symbol = display.page.locator(".drop-mark").text_content()  # it is gone 2 s later
    expect(notice).to_have_text(f"Yours is drop 1 {symbol}")  # for the rest of the reveal


def button(page: Page) -> Locator:
    return page.get_by_role("button", name="Team discussion")


def open_sheet(page: Page) -> Locator:
    button(page).click(timeout=LOADED_MS)
    sheet = page.get_by_role("dialog", name="Team discussion")
    expect(sheet).to_be_visible()
    return sheet


def test_team_discusses_on_phones(server: Server, open_at: OpenScreen) -> None:
    """Without a discussion, a phone opens no second socket."""
    terms = {"window_s": 600, "team_choice": "choose", "team_discussion": True}
    event = server.ask("event", lobby="open", **terms)
    server.ask("open_turn_now", event_id=event["id"])
    ann, bob, eve = (open_at(SMALL_PHONE, f"/{event['code']}/{team}").page for team in (1, 1, 2))
    sheet = open_sheet(ann)
    ann.keyboard.press("4")
    sheet.get_by_label("Your suggestion").click()
    ann.keyboard.type(NASTY)
    sheet.get_by_label("About a column?").select_option("4")
    ann.keyboard.press("ArrowDown")
    sheet.get_by_label("About a column?").select_option("4")
    sheet.get_by_role("button", name="Send").click()
    expect(sheet.locator(".suggestion p")).to_have_text(f"Column 4 {NASTY}")
    expect(sheet.get_by_label("Your suggestion")).to_have_value("")
    expect(ann.locator("[data-column][aria-pressed=true]")).to_have_count(0)
    expect(button(bob)).to_contain_text("1", timeout=LOADED_MS)
    sheet.get_by_label("Your suggestion").fill("And one more")
    ann.keyboard.press("Enter")
    expect(sheet.get_by_role("alert")).to_have_text("Wait 10 seconds between two suggestions.")
    expect(sheet.get_by_label("Your suggestion")).to_have_value("And one more")
    theirs = open_sheet(bob)
    theirs.get_by_label("Your suggestion").fill("No, column 3")
    bob.keyboard.press("Enter")
    expect(theirs.locator(".suggestion")).to_have_count(2)
    theirs.get_by_role("button", name="Agree").last.press("Enter")
    expect(theirs.locator(".suggestion").first).to_contain_text("No, column 3")
    agreed = theirs.locator("[aria-pressed=true]")
    expect(agreed).to_be_focused()
    expect(agreed).to_have_text("Agree 1")
    bob.keyboard.press("Enter")
    expect(agreed).to_have_count(0)
    theirs.get_by_role("button", name="Report").first.click()
    bob.keyboard.press("Escape")
    expect(theirs).to_have_count(0)
    expect(button(eve)).to_have_text("Team discussion", timeout=LOADED_MS)
    expect(open_sheet(eve)).to_contain_text("No suggestions yet.")
    server.ask("play_to", event_id=event["id"], picks=[(1, 2)])
    expect(sheet.get_by_text("Previous turn")).to_be_visible(timeout=LOADED_MS)
    expect(sheet.get_by_text("No suggestions yet.")).to_be_visible()
    server.ask("act", event_id=event["id"], action="discussion.stop")
    for phone in (ann, bob, eve):
        expect(button(phone)).to_have_count(0)
        expect(phone.get_by_role("dialog")).to_have_count(0)
        assert phone.evaluate("window.ran") is None

    sockets: list[str] = []
    eve.on("websocket", lambda socket: sockets.append(socket.url))
    eve.reload()
    eve.locator('[data-do="hide"]').click()  # loads the deferred part
    expect(eve.locator(".code")).to_be_visible(timeout=LOADED_MS)
    assert len(sockets) == 1
