"""The page of a duel: two players and a spectator use its board, turns and chat to the end."""

import re

from playwright.sync_api import FrameLocator, Page, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, Screen
from tests.e2e.test_duels import code_of, enter
from tests.server import Server

POLL_MS = 2 * TIMEOUT_MS
ROWS = ".history tbody tr"


def board(page: Page) -> FrameLocator:
    return page.frame_locator(".board iframe")


def expect_phase(page: Page, phase: str) -> None:
    expect(board(page).locator(f'body[data-phase="{phase}"]')).to_be_attached(timeout=POLL_MS)


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def begin(server: Server, open_at: OpenScreen) -> tuple[Screen, Screen, str]:
    """Start a game between a large and a small window, each on the game's page."""
    one = enter(server, open_at, "page-one", PROJECTOR)
    one.page.get_by_role("button", name="New game").click()
    expect_phase(one.page, "lobby")
    code = code_of(one)
    two = enter(server, open_at, "page-two")
    two.page.locator(f'form[action="/play/{code}/join"] button').click()
    for screen in (one, two):
        expect_phase(screen.page, "voting")
    return one, two, code


def test_players_and_spectator_share_page_of_duel(server: Server, open_at: OpenScreen) -> None:
    one, two, code = begin(server, open_at)
    watcher = open_at(server, "duel-page-watcher", PHONE)
    watcher.page.goto(f"/play/{code}")
    expect_phase(watcher.page, "voting")
    screens = (one, two, watcher)

    board(one.page).locator('[data-column="4"]').click()
    expect(board(one.page).locator('main[data-status="counted"]')).to_be_attached(timeout=TIMEOUT_MS)
    assert [screen.page.locator(ROWS).count() for screen in screens] == [0, 0, 0]
    board(two.page).locator('[data-column="5"]').click()
    expect_phase(one.page, "reveal")
    assert_keeps_history(one.page, code)
    for screen in screens:
        expect(screen.page.locator(f"{ROWS} td")).to_have_count(2, timeout=POLL_MS)
        assert sorted(screen.page.locator(f"{ROWS} td").all_inner_texts()) == ["4", "5"]

    talk(watcher.page)
    for screen in screens:
        screen.shoot("playing")
        assert fits(screen.page)

    one.page.get_by_text("Resign or make an offer").click()
    one.page.get_by_role("button", name="Resign", exact=True).click()
    for screen in screens:
        expect(screen.page.locator(".result")).to_contain_text("won · Resigned", timeout=POLL_MS)
        expect_phase(screen.page, "ended")
        expect(screen.page.get_by_role("link", name="Replay")).to_be_visible()
        screen.shoot("over")
    assert [screen.page.get_by_role("button", name="Rematch").count() for screen in screens] == [1, 1, 0]
    assert [screen.errors for screen in screens] == [[], [], []]


def assert_keeps_history(page: Page, code: str) -> None:
    """While the board reveals a turn, a refresh adds nothing to the page."""
    before = page.locator(ROWS).count()
    with page.expect_response(re.compile(rf"/play/{code}$")) as fetched:
        page.evaluate("document.dispatchEvent(new Event('outdated'))")
    assert re.search(r"<tbody><tr", fetched.value.text())
    assert page.locator(ROWS).count() == before


def talk(page: Page) -> None:
    """Open the chat drawer and post a message with the keyboard alone."""
    expect(page.get_by_label("Write a message")).to_be_hidden()
    page.locator(".talks summary").first.focus()
    page.keyboard.press("Enter")
    page.get_by_label("Write a message").fill("Column 4!")
    page.keyboard.press("Enter")
    expect(page.locator(".said .text")).to_have_text("Column 4!", timeout=TIMEOUT_MS)
