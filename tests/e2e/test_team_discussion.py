"""The team discussion on phones: two voters of a team and one of the other, by mouse and by keyboard."""

from playwright.sync_api import Locator, Page, expect

from tests.e2e.screens import SMALL_PHONE, TIMEOUT_MS, OpenScreen
from tests.server import Server

LOADED_MS = 2 * TIMEOUT_MS  # the deferred part comes when the phone is idle
NASTY = "<img src=x onerror='window.ran = 1'> 4"


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
    expect(sheet.get_by_text("Last turn")).to_be_visible(timeout=LOADED_MS)
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
