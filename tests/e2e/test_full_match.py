import re
from functools import partial

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.screens import PHONE, PROJECTOR, TABLET, OpenScreen, Screen, press, sign_in, vote, wait_until
from tests.e2e.scripts import page_script
from tests.server import Server


def test_first_turns_by_clicking(server: Server, open_at: OpenScreen) -> None:
    """The first phone arrives before the lobby opens, and joins automatically."""
    screens = [open_at(size) for size in (TABLET, PROJECTOR, PHONE, PHONE)]
    console, display, red, yellow = screens
    for screen in screens:
        screen.animate()
    page = console.page
    sign_in(page, server, "organizer")
    page.goto("/console/new/")
    page.get_by_role("button", name="Empty").click()
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


def walk_to(screen: Screen, target: Locator, key: str = "Tab") -> None:
    """Press a key until the element has the focus; check that the focus is visible."""
    expect(target).to_be_attached()
    for _ in range(400):
        if target.evaluate("(part) => part === document.activeElement"):
            # The focus mark may appear with a transition.
            wait_until(screen, lambda: bool(screen.page.evaluate(page_script("is_marked"))))
            return
        screen.page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {target}")


def press_by_key(screen: Screen, name: str) -> None:
    button = screen.page.get_by_role("button", name=re.compile(f"^{name}")).first
    walk_to(screen, button)
    expect(button).not_to_have_attribute("aria-disabled", "true")  # it has just changed
    screen.page.keyboard.press("Enter")


def fill(screen: Screen, label: str, text: str) -> None:
    walk_to(screen, screen.page.get_by_role("textbox", name=label))
    screen.page.keyboard.press("Control+a")
    screen.page.keyboard.type(text)


def wait_for_speech(screen: Screen, pattern: str, since: int = 0) -> None:
    """Wait until a live region has announced this, after the first `since` announcements."""
    said = f"said.slice({since})"
    wait_until(screen, lambda: any(re.search(pattern, text) for text in screen.page.evaluate(said)))


def column(phone: Screen, number: int) -> Locator:
    return phone.page.get_by_role("button", name=re.compile(rf"^Column {number}\b"))


def owners(phone: Screen) -> list[str]:
    """The owners of the pieces in all columns, according to the buttons' labels."""
    labels = [column(phone, number).get_attribute("aria-label") or "" for number in range(1, 8)]
    return [f"{number} {owner}" for number in range(7) for owner in re.findall("red|yellow", labels[number])]


def has_pieces(phone: Screen, number: int) -> bool:
    return len(owners(phone)) == number


def make_event(console: Screen) -> str:
    fill(console, "Username", "organizer")
    fill(console, "Password", "only-for-tests")
    console.page.keyboard.press("Enter")
    expect(console.page.get_by_role("heading", name="New event")).to_be_visible()
    with console.page.expect_navigation():
        walk_to(console, console.page.get_by_role("button", name="Empty"))
        console.page.keyboard.press("Enter")
    fill(console, "Event name", "By keys alone")
    fill(console, "First team, red", "Rooks")
    fill(console, "Second team, yellow", "Doves")
    press_by_key(console, "Create event")
    expect(console.page.get_by_role("button", name="Open the lobby")).to_be_visible()
    return console.page.url.rstrip("/").rsplit("/", 1)[1]


def vote_by_key(phone: Screen, number: int, by_arrows: bool) -> None:
    """Vote by arrows or by a digit; the phone announces that the vote counts."""
    phone.wait_for(phase="voting")
    expect(column(phone, number)).to_be_enabled()
    since = phone.page.evaluate("said.length")
    if by_arrows:
        walk_to(phone, column(phone, number), "ArrowRight")
        phone.page.keyboard.press("Enter")
    else:
        phone.page.keyboard.press(str(number))
    wait_for_speech(phone, rf"[Cc]ounted.*\b{number}\b", since)


def pause_and_resume(console: Screen, display: Screen) -> None:
    for action, phase in (("turn.pause", "paused"), ("turn.resume", "voting")):
        expect(console.page.locator(f'[data-action="{action}"]')).to_be_enabled()
        console.page.keyboard.press("p")
        for screen in (display, console):
            screen.wait_for(phase=phase)


def close_turn(console: Screen, phones: list[Screen], picks: tuple[int, int]) -> None:
    # Until the console shows that all have voted, the first press only asks.
    expect(console.page.locator(".event-status li").filter(has_text="100%")).to_have_count(2)
    close = console.page.get_by_role("button", name="Close now")
    expect(close).not_to_have_attribute("aria-disabled", "true")
    said_before = [phone.page.evaluate("said.length") for phone in phones]
    console.page.keyboard.press("c")
    for phone, since in zip(phones, said_before, strict=True):
        for team, pick in zip(("Rooks", "Doves"), picks, strict=True):
            wait_for_speech(phone, rf"({team}|[Yy]our team|[Bb]oth).*\b{pick}\b", since)


@pytest.mark.nightly
def test_full_match_with_keyboard_and_screen_reader(server: Server, open_at: OpenScreen) -> None:
    """Red ends with four in column 1; the second turn is a conflict."""
    server.ask("set_password", name="organizer", password="only-for-tests")
    console = open_at(TABLET, "/console/new/")
    code = make_event(console)
    ((event_id,),) = server.rows("SELECT id FROM games_event WHERE code = ?", code)
    server.ask("edit", event_id=event_id, window_s=300, pace="dramatic")
    display = open_at(PROJECTOR, f"/display/{code}")
    press_by_key(console, "Open the lobby")
    display.wait_for(phase="lobby")
    phones = red, yellow = [open_at(PHONE), open_at(PHONE)]
    for phone, team in ((red, "Rooks"), (yellow, "Doves")):
        phone.page.add_init_script(f"({page_script('listen')})()")
        phone.page.goto("/")
        fill(phone, "", code)
        phone.page.keyboard.press("Enter")
        expect(phone.page.get_by_role("heading", name=team)).to_be_visible()
    press_by_key(console, "Start the match")
    for turn, picks in enumerate([(1, 2), (4, 4), (1, 3), (1, 7), (1, 6)], 1):
        display.wait_for(phase="voting", turn=str(turn))
        for phone, pick in zip(phones, picks, strict=True):
            vote_by_key(phone, pick, by_arrows=turn % 2 == 1)
        console.wait_for(phase="voting")
        if turn == 1:
            pause_and_resume(console, display)
        close_turn(console, phones, picks)
        if turn < 5:  # the pieces drop shortly after the announcement
            for phone in phones:
                wait_until(phone, partial(has_pieces, phone, 2 * turn))
            assert owners(red) == owners(yellow)
    display.wait_for(phase="ended", result="red")
    expect(display.page.get_by_role("heading", name="Rooks").first).to_be_visible()
    for phone in phones:
        phone.wait_for(phase="ended")
        wait_for_speech(phone, "Rooks.*win")
