"""A complete match with the keyboard only, and with what a screen reader gets: roles, names, live regions."""

import re
from functools import partial
from typing import Literal

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.conftest import PASSWORD, OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, TABLET, TIMEOUT_MS, Screen, wait_until
from tests.server import Server

# Red's and yellow's column in each turn; red ends with four in column 1, the second is a conflict.
MATCH = [(1, 2), (4, 4), (1, 3), (1, 7), (1, 6)]
MOST_STEPS = 400  # the list of events of all tests comes before the presets
IS_FOCUSED_JS = "(part) => part === document.activeElement"
IS_MARKED_JS = """() => {
  const seen = (part) => {
    const {outlineStyle, outlineWidth, boxShadow} = getComputedStyle(part);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow !== "none";
  };
  const here = document.activeElement;
  return seen(here) || [...here.querySelectorAll("*"), here.parentElement, ...(here.labels ?? [])].some(seen);
}"""
# What a screen reader would announce by itself, in order.
LISTEN_JS = """() => {
  window.said = [];
  const LIVE = "[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]";
  const say = (region) => {
    const text = region.textContent.trim();
    if (text && window.said.at(-1) !== text) window.said.push(text);
  };
  new MutationObserver((changes) => {
    const touched = changes.map(({target}) => target.nodeType === 1 ? target : target.parentElement);
    const regions = touched.flatMap((part) => [part?.closest(LIVE), ...(part?.querySelectorAll(LIVE) ?? [])]);
    new Set(regions.filter(Boolean)).forEach(say);
  }).observe(document, {subtree: true, childList: true, characterData: true});
}"""


def walk_to(screen: Screen, target: Locator, key: str = "Tab") -> None:
    """Press a key until the element has the focus; check that the focus is visible."""
    expect(target).to_be_attached(timeout=TIMEOUT_MS)
    for _ in range(MOST_STEPS):
        if target.evaluate(IS_FOCUSED_JS):
            # The focus mark may appear with a transition.
            wait_until(screen, lambda: bool(screen.page.evaluate(IS_MARKED_JS)))
            return
        screen.page.keyboard.press(key)
    raise AssertionError(f"{MOST_STEPS} times {key} do not lead to {target}")


def press(screen: Screen, role: Literal["button", "link"], name: str) -> None:
    target = screen.page.get_by_role(role, name=re.compile(f"^{name}"))
    walk_to(screen, target.first)
    expect(target.first).not_to_have_attribute("aria-disabled", "true")  # it has just changed
    screen.page.keyboard.press("Enter")


def fill(screen: Screen, label: str, text: str) -> None:
    walk_to(screen, screen.page.get_by_role("textbox", name=label))
    screen.page.keyboard.press("Control+a")
    screen.page.keyboard.type(text)


def said(screen: Screen) -> list[str]:
    texts: list[str] = screen.page.evaluate("() => window.said")
    return texts


def wait_for_speech(screen: Screen, pattern: str, since: int = 0) -> None:
    """Wait until a live region has announced this."""
    wait_until(screen, lambda: any(re.search(pattern, text) for text in said(screen)[since:]))


def column(phone: Screen, number: int) -> Locator:
    return phone.page.get_by_role("button", name=re.compile(rf"^Column {number}\b"))


def owners(phone: Screen) -> list[tuple[int, str]]:
    """The column and owner of each piece, according to the buttons' labels."""
    labels = [column(phone, number).get_attribute("aria-label") or "" for number in range(1, 8)]
    return [(at, owner) for at, label in enumerate(labels, 1) for owner in re.findall("red|yellow", label)]


def has_pieces(phone: Screen, number: int) -> bool:
    return len(owners(phone)) == number


def make_event(console: Screen, organizer: str) -> str:
    console.page.goto("/console/")
    fill(console, "Username", organizer)
    fill(console, "Password", PASSWORD)
    console.page.keyboard.press("Enter")
    expect(console.page.get_by_role("heading", name="My events")).to_be_visible(timeout=TIMEOUT_MS)
    with console.page.expect_navigation():
        press(console, "link", "Empty")
    fill(console, "Event name", "By keys alone")
    fill(console, "First team, red", "Rooks")
    fill(console, "Second team, yellow", "Doves")
    press(console, "button", "Create event")
    expect(console.page.get_by_role("button", name="Open the lobby")).to_be_visible(timeout=TIMEOUT_MS)
    return console.page.url.rstrip("/").rsplit("/", 1)[1]


def vote(phone: Screen, number: int, turn: int) -> None:
    """Vote by arrows or by a digit; the phone announces that the vote counts."""
    phone.wait_for(phase="voting")
    expect(column(phone, number)).to_be_enabled(timeout=TIMEOUT_MS)
    since = len(said(phone))
    if turn % 2:
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


@pytest.mark.nightly
def test_full_match_with_keyboard_and_screen_reader(
    server: Server, open_at: OpenScreen, organizer: str
) -> None:
    console, display = open_at(server, "keys-console", TABLET), open_at(server, "keys-display", PROJECTOR)
    red, yellow = phones = open_at(server, "keys-red", PHONE), open_at(server, "keys-yellow", PHONE)
    code = make_event(console, organizer)
    ((event_id,),) = server.rows("SELECT id FROM games_event WHERE code = ?", code)
    server.ask("edit", event_id=event_id, window_s=300, pace="dramatic")
    display.page.goto(f"/display/{code}")
    press(console, "button", "Open the lobby")
    display.wait_for(phase="lobby")
    for phone, team in ((red, "Rooks"), (yellow, "Doves")):
        phone.page.add_init_script(f"({LISTEN_JS})()")
        phone.page.goto("/")
        fill(phone, "", code)
        phone.page.keyboard.press("Enter")
        expect(phone.page.get_by_role("heading", name=team)).to_be_visible(timeout=TIMEOUT_MS)
    press(console, "button", "Start the match")
    for turn, picks in enumerate(MATCH, 1):
        display.wait_for(phase="voting", turn=str(turn))
        vote(red, picks[0], turn)
        vote(yellow, picks[1], turn)
        console.wait_for(phase="voting")
        if turn == 1:
            pause_and_resume(console, display)
        # Until the console shows that all have voted, the first press only asks.
        expect(console.page.locator(".event-status li").filter(has_text="100%")).to_have_count(2)
        close = console.page.get_by_role("button", name="Close now")
        expect(close).not_to_have_attribute("aria-disabled", "true")
        said_before = [len(said(phone)) for phone in phones]
        console.page.keyboard.press("c")
        for phone, since in zip(phones, said_before, strict=True):
            wait_for_speech(phone, rf"(Rooks|[Yy]our team|[Bb]oth).*\b{picks[0]}\b", since)
            wait_for_speech(phone, rf"(Doves|[Yy]our team|[Bb]oth).*\b{picks[1]}\b", since)
        if turn < len(MATCH):  # the pieces drop shortly after the announcement
            for phone in phones:
                wait_until(phone, partial(has_pieces, phone, 2 * turn))
            assert owners(red) == owners(yellow)
    display.wait_for(phase="ended", result="red")
    expect(display.page.get_by_role("heading", name="Rooks").first).to_be_visible(timeout=TIMEOUT_MS)
    for phone in phones:
        phone.wait_for(phase="ended")
        wait_for_speech(phone, "Rooks.*win")
    assert [screen.errors for screen in (console, display, red, yellow)] == [[], [], [], []]
