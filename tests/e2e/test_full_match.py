"""The first turns of a match by clicking: an organizer, two phones in two teams, and the display."""

from playwright.sync_api import expect

from tests.e2e.screens import PHONE, PROJECTOR, TABLET, OpenScreen, press, vote
from tests.server import Server


def test_first_turns_by_clicking(server: Server, open_at: OpenScreen) -> None:
    """The first phone arrives before the lobby opens, and joins automatically."""
    server.ask("set_password", name="organizer", password="only-for-tests")
    screens = [open_at(size) for size in (TABLET, PROJECTOR, PHONE, PHONE)]
    console, display, red, yellow = screens
    for screen in screens:
        screen.animate()
    page = console.page
    page.goto("/console/")
    page.get_by_label("Username").fill("organizer")
    page.get_by_label("Password").fill("only-for-tests")
    page.get_by_role("button", name="Log in").click()
    page.goto("/console/new/")
    page.get_by_role("link", name="Empty").click()
    page.get_by_label("Event name").fill("Summer fair")
    page.get_by_label("First team, red").fill("North Hall")
    page.get_by_label("Second team, yellow").fill("South Hall")
    page.get_by_text("More settings").click()
    page.locator("[name=pace][value='dramatic']").check()
    page.locator("[name=window_s_usual][value='300']").check()
    page.get_by_label("Close as soon as everyone connected has voted").check()
    page.get_by_role("button", name="Create event").click()
    expect(page.locator("[data-action]").first).to_be_visible()
    code = page.url.rstrip("/").rsplit("/", 1)[1]

    display.page.goto(f"/display/{code.lower()}")
    red.page.goto("/")
    red.page.locator("input").fill(code.lower())
    red.page.keyboard.press("Enter")
    expect(red.page.get_by_role("heading")).to_have_text("Opening soon")
    press(console, "lobby.open")
    display.wait_for(phase="lobby")
    red.wait_for(team="1", phase="lobby")
    yellow.page.goto(f"/{code}")
    yellow.wait_for(team="2", phase="lobby")
    for team in ("1", "2"):
        expect(display.page.locator(f'[data-joined="{team}"]')).to_have_text("1")
    press(console, "match.start")
    for turn, picks in enumerate([(1, 2), (4, 4)], 1):  # the second is a conflict
        display.wait_for(phase="voting", turn=str(turn))
        for phone in (red, yellow):
            phone.wait_for(phase="voting")
        vote(red, picks[0])
        red.page.reload()
        red.wait_for(phase="voting")
        expect(red.page.locator("main")).to_have_attribute("data-status", "counted")
        vote(yellow, picks[1])
        for screen in (display, red, yellow):
            screen.wait_for(phase="reveal")
    red_balls = display.page.locator('[data-owner=red]:is([data-cell="1,1"], [data-cell="4,1"])')
    yellow_balls = display.page.locator('[data-owner=yellow]:is([data-cell="2,1"], [data-cell="4,2"])')
    expect(red_balls.or_(yellow_balls)).to_have_count(4)
    for action, phase in (("turn.pause", "paused"), ("turn.resume", "voting")):
        press(console, action)
        for screen in (red, yellow, display):
            screen.wait_for(phase=phase)
