"""A complete match using only what a screen reader gets: roles, names and live regions."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.conftest import PASSWORD
from tests.e2e.screens import PHONE, PROJECTOR, TABLET, TIMEOUT_MS, Screen, open_screen, wait_until

# Red's and yellow's column in each turn; red ends with four in column 1, the second is a conflict.
MATCH = [(1, 2), (4, 4), (1, 3), (1, 7), (1, 6)]
TEAMS = ("Rooks", "Doves")
# What a screen reader would announce by itself, in order.
LISTEN = """() => {
  window.said = [];
  const LIVE = "[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]";
  const say = (region) => {
    const text = region.textContent.trim();
    if (text && window.said.at(-1) !== text) window.said.push(text);
  };
  const listen = () => new MutationObserver((changes) => {
    const touched = changes.map(({target}) => target.nodeType === 1 ? target : target.parentElement);
    const regions = touched.flatMap((part) => [part?.closest(LIVE), ...(part?.querySelectorAll(LIVE) ?? [])]);
    new Set(regions.filter(Boolean)).forEach(say);
  }).observe(document, {subtree: true, childList: true, characterData: true});
  listen();
}"""


@pytest.fixture(scope="module")
def screens(browser: Browser, base_url: str, shots: Path) -> Iterator[dict[str, Screen]]:
    sizes = {"console": TABLET, "display": PROJECTOR, "red": PHONE, "yellow": PHONE}
    opened = {
        name: open_screen(browser, base_url, shots, f"ear-{name}", size) for name, size in sizes.items()
    }
    for screen in opened.values():
        screen.page.add_init_script(f"({LISTEN})()")
    yield opened
    for screen in opened.values():
        screen.page.context.close()


def said(screen: Screen) -> list[str]:
    speech_counts: list[str] = screen.page.evaluate("() => window.said")
    return speech_counts


def wait_for_speech(screen: Screen, pattern: str, since: int = 0) -> None:
    """Wait until a live region has announced this."""
    try:
        wait_until(screen, lambda: any(re.search(pattern, text) for text in said(screen)[since:]))
    except AssertionError as failure:
        raise AssertionError(
            f"{screen.name} said nothing like {pattern}: {said(screen)[since:]}"
        ) from failure


def column(page: Page, number: int) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^Column {number}\b"))


@pytest.mark.nightly
def test_full_match_with_screen_reader(screens: dict[str, Screen], organizer: str) -> None:
    console, display, red, yellow = (screens[name] for name in ("console", "display", "red", "yellow"))
    code = make_event(console.page, organizer)
    display.page.goto(f"/display/{code}")
    console.page.get_by_role("button", name="Open the lobby").click(timeout=TIMEOUT_MS)
    for phone, team in ((red, TEAMS[0]), (yellow, TEAMS[1])):
        join(phone.page, code, team)
    console.page.get_by_role("button", name="Start the match").click(timeout=TIMEOUT_MS)
    for number, picks in enumerate(MATCH, 1):
        play_turn(screens, picks, number)
    for phone in (red, yellow):
        wait_for_speech(phone, f"{TEAMS[0]}.*win")
    expect(display.page.get_by_role("heading", name=re.compile(TEAMS[0])).first).to_be_visible(
        timeout=TIMEOUT_MS
    )
    assert [screen.errors for screen in screens.values()] == [[], [], [], []]


def make_event(page: Page, organizer: str) -> str:
    page.goto("/console/")
    page.get_by_role("textbox", name="Username").fill(organizer)
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="New event").click()
    page.get_by_role("link", name=re.compile("^Empty")).click()
    fill_in_form(page)
    expect(page.get_by_role("button", name="Open the lobby")).to_be_visible(timeout=TIMEOUT_MS)
    return page.url.rstrip("/").rsplit("/", 1)[1]


def fill_in_form(page: Page) -> None:
    page.get_by_role("textbox", name="Event name").fill("By ear alone")
    page.get_by_role("textbox", name="First team, red").fill(TEAMS[0])
    page.get_by_role("textbox", name="Second team, yellow").fill(TEAMS[1])
    page.get_by_role("button", name="Create event").click()


def join(page: Page, code: str, team: str) -> None:
    page.goto("/")
    page.get_by_role("textbox").fill(code)
    page.get_by_role("textbox").press("Enter")
    expect(page.get_by_role("heading", name=team)).to_be_visible(timeout=TIMEOUT_MS)


def play_turn(screens: dict[str, Screen], picks: tuple[int, int], turn: int) -> None:
    """Each phone announces that its vote counts, then both teams' columns, and describes the board."""
    phones = [screens["red"], screens["yellow"]]
    for phone, number in zip(phones, picks, strict=True):
        press = column(phone.page, number)
        expect(press).to_be_enabled(timeout=TIMEOUT_MS)
        since = len(said(phone))
        press.press("Enter")
        wait_for_speech(phone, rf"[Cc]ounted.*\b{number}\b", since)
    speech_counts = {phone.name: len(said(phone)) for phone in phones}
    console = screens["console"].page
    expect(console.locator(".event-status li").filter(has_text="100%")).to_have_count(2, timeout=TIMEOUT_MS)
    console.get_by_role("button", name="Close now").click(timeout=TIMEOUT_MS)
    for phone in phones:
        for team, number in zip(TEAMS, picks, strict=True):
            wait_for_speech(phone, rf"({team}|[Yy]our team|[Bb]oth).*\b{number}\b", speech_counts[phone.name])
    if turn < len(MATCH):
        check_board(phones, 2 * turn)


def check_board(phones: list[Screen], pieces: int) -> None:
    """Both phones describe the same board; the pieces drop shortly after the announcement."""
    for phone in phones:
        wait_until(phone, partial(announces, phone, pieces))
    assert owners(phones[0]) == owners(phones[1])


def announces(phone: Screen, pieces: int) -> bool:
    return len(owners(phone)) == pieces


def owners(phone: Screen) -> list[tuple[int, str]]:
    """The column and owner of each piece, according to the buttons' labels."""
    labels = [column(phone.page, number).get_attribute("aria-label") or "" for number in range(1, 8)]
    return [
        (number, owner) for number, words in enumerate(labels, 1) for owner in re.findall("red|yellow", words)
    ]
