"""A complete match with the keyboard only: organizer and both teams."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import PASSWORD
from tests.e2e.screens import PHONE, PROJECTOR, TABLET, TIMEOUT_MS, Screen, open_screen, wait_until
from tests.server import Server

# Red's and yellow's column in each turn; red ends with four in column 1, the third is a conflict.
MATCH = [("1", "2"), ("1", "7"), ("4", "4"), ("1", "3"), ("1", "6")]
MOST_STEPS = 400  # the list of events of all tests comes before the presets
Screens = dict[str, Screen]


@pytest.fixture(scope="module")
def screens(browser: Browser, base_url: str, shots: Path) -> Iterator[Screens]:
    sizes = {"console": TABLET, "display": PROJECTOR, "red": PHONE, "yellow": PHONE}
    opened = {
        name: open_screen(browser, base_url, shots, f"keys-{name}", size) for name, size in sizes.items()
    }
    yield opened
    for screen in opened.values():
        screen.page.context.close()


def walk_to(screen: Screen, name: str) -> None:
    """Press Tab until the element with this name has the focus; check that the focus is visible."""
    for _ in range(MOST_STEPS):
        screen.page.keyboard.press("Tab")
        if name.lower() in focused(screen).lower():
            wait_until(screen, lambda: is_marked(screen))  # the focus mark may appear with a transition
            return
    raise AssertionError(f"{MOST_STEPS} steps of Tab do not lead to {name}")


def focused(screen: Screen) -> str:
    return str(screen.page.evaluate(NAME))


def is_marked(screen: Screen) -> bool:
    return bool(screen.page.evaluate(MARKED))


NAME = """() => {
  const here = document.activeElement;
  if (here === document.body) return "";
  const label = here.labels?.[0]?.textContent ?? "";
  return [here.getAttribute("aria-label"), label, here.textContent].filter(Boolean).join(" ").trim();
}"""
MARKED = """() => {
  const seen = (part) => {
    const {outlineStyle, outlineWidth, boxShadow} = getComputedStyle(part);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow !== "none";
  };
  const here = document.activeElement;
  return seen(here) || [...here.querySelectorAll("*"), here.parentElement, ...(here.labels ?? [])].some(seen);
}"""


@pytest.mark.nightly
def test_full_match_with_keyboard(server: Server, screens: Screens, organizer: str) -> None:
    code = make_event(screens["console"], organizer)
    ((event_id,),) = server.rows("SELECT id FROM games_event WHERE code = ?", code)
    server.ask("edit", event_id=event_id, window_s=300, pace="dramatic")
    console, display, red, yellow = (screens[name] for name in ("console", "display", "red", "yellow"))
    display.page.goto(f"/display/{code}")
    walk_to(console, "Open the lobby")
    console.page.keyboard.press("Enter")
    display.wait_for(phase="lobby")
    join(red, code, "1")
    join(yellow, code, "2")
    walk_to(console, "Start the match")
    expect_settled(console, "match.start")
    console.page.keyboard.press("Enter")
    for number, picks in enumerate(MATCH, 1):
        display.wait_for(phase="voting", turn=str(number))
        vote_by_arrows(red, picks[0]) if number % 2 else vote_by_digit(red, picks[0])
        vote_by_digit(yellow, picks[1])
        if number == 1:
            pause_and_resume(console, display)
        console.wait_for(phase="voting")
        # Until the console shows that all have voted, the first press only asks.
        expect(console.page.locator(".event-status li").filter(has_text="100%")).to_have_count(2)
        expect_settled(console, "turn.close")
        console.page.keyboard.press("c")
        display.wait_for(phase="reveal")
    display.wait_for(phase="ended", result="red")
    for phone in (red, yellow):
        phone.wait_for(phase="ended")
    assert [screen.errors for screen in screens.values()] == [[], [], [], []]


def make_event(console: Screen, organizer: str) -> str:
    console.page.goto("/console/")
    fill(console, "Username", organizer)
    fill(console, "Password", PASSWORD)
    console.page.keyboard.press("Enter")
    expect(console.page.get_by_role("heading", name="My events")).to_be_visible(timeout=TIMEOUT_MS)
    walk_to(console, "Empty")
    with console.page.expect_navigation():
        console.page.keyboard.press("Enter")
    fill(console, "Event name", "By keys alone")
    fill(console, "First team, red", "Rooks")
    fill(console, "Second team, yellow", "Doves")
    console.page.keyboard.press("Enter")
    expect(console.page.locator("[data-action]").first).to_be_visible(timeout=TIMEOUT_MS)
    return console.page.url.rstrip("/").rsplit("/", 1)[1]


def expect_settled(console: Screen, action: str) -> None:
    """A button that has just changed ignores presses, which were meant for the action before."""
    button = console.page.locator(f'[data-action="{action}"]')
    expect(button).not_to_have_attribute("aria-disabled", "true")


def fill(console: Screen, label: str, text: str) -> None:
    if label.lower() not in focused(console).lower():
        walk_to(console, label)
    console.page.keyboard.press("Control+a")
    console.page.keyboard.type(text)


def join(phone: Screen, code: str, team: str) -> None:
    """Join by typing the code."""
    phone.page.goto("/")
    if "code" not in focused(phone).lower():
        walk_to(phone, "code")
    phone.page.keyboard.type(code)
    phone.page.keyboard.press("Enter")
    phone.wait_for(team=team, phase="lobby")


def vote_by_digit(phone: Screen, column: str) -> None:
    phone.wait_for(phase="voting")
    phone.page.keyboard.press(column)
    expect_counted(phone)


def vote_by_arrows(phone: Screen, column: str) -> None:
    phone.wait_for(phase="voting")
    for _ in range(MOST_STEPS):
        phone.page.keyboard.press("ArrowRight")
        if focused(phone).startswith(f"Column {column}"):
            phone.page.keyboard.press("Enter")
            expect_counted(phone)
            return
    raise AssertionError(f"the arrows do not lead to column {column}")


def expect_counted(phone: Screen) -> None:
    expect(phone.page.locator("main")).to_have_attribute("data-status", "counted", timeout=TIMEOUT_MS)


def pause_and_resume(console: Screen, display: Screen) -> None:
    console.wait_for(phase="voting")
    for action, phase in (("turn.pause", "paused"), ("turn.resume", "voting")):
        expect(console.page.locator(f'[data-action="{action}"]')).to_be_enabled()
        console.page.keyboard.press("p")
        for screen in (display, console):
            screen.wait_for(phase=phase)
