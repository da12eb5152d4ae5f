"""Duels by clicking: a complete game with one-minute clocks, watched by a third guest."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import SHOTS, OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, Screen, vote
from tests.server import Server

SMALL = {"width": 320, "height": 640}
# Red's and yellow's column in each turn; red ends with four in column 1.
MATCH = [(1, 2), (4, 4), (1, 3), (1, 7), (1, 6)]
PAGE_POLLS_MS = 20_000


def enter(server: Server, open_at: OpenScreen, name: str, size: dict[str, int] = PHONE) -> Screen:
    screen = open_at(server, f"duel-{name}", size)
    screen.page.goto("/play/")
    return screen


def side_of(screen: Screen) -> str:
    screen.wait_for(phase="voting")
    return screen.page.locator("body").get_attribute("data-side") or ""


def code_of(screen: Screen) -> str:
    return screen.page.url.rpartition("/")[2]


def open_board(screen: Screen) -> None:
    """Go from the page of a game to the player's board alone."""
    screen.page.get_by_role("link", name="Open the board").click()
    expect(screen.page.locator("body[data-phase]")).to_be_attached(timeout=TIMEOUT_MS)


@pytest.mark.nightly
def test_duel_with_clocks_and_a_watcher(server: Server, open_at: OpenScreen) -> None:
    one = enter(server, open_at, "one", SMALL)
    one.page.get_by_text("More options").click()
    one.page.get_by_label("1 minute", exact=True).check()
    one.shoot("more")
    one.page.get_by_role("button", name="Start game").click()
    one.shoot("waiting")
    open_board(one)
    one.wait_for(phase="lobby")
    assert "#" not in one.page.url
    code = code_of(one)

    two = enter(server, open_at, "two")
    two.shoot("open")
    two.page.locator(f'form[action="/play/{code}/join"] button').click()
    open_board(two)
    sides = {side_of(screen): screen for screen in (one, two)}
    watcher = enter(server, open_at, "watcher", PROJECTOR)
    watcher.page.locator(f'a[href="/play/{code}"]').click()
    open_board(watcher)
    watcher.wait_for(phase="voting")

    for number, (red, yellow) in enumerate(MATCH, 1):
        for screen in (one, two, watcher):
            screen.wait_for(phase="voting")
        vote(sides["red"], red)
        if number == 2:  # a phone has loaded its deferred part by now
            banks = watcher.page.locator(".time-bank")
            expect(banks.nth(0)).to_have_attribute("data-stands", "true", timeout=TIMEOUT_MS)
            expect(banks.nth(1)).to_have_attribute("data-stands", "false")
            expect(sides["yellow"].page.locator(".corner.red .picked")).to_have_text(
                watcher.page.locator(".time-bank").nth(0).inner_text(), timeout=TIMEOUT_MS
            )
            watcher.shoot("voting")
            sides["yellow"].shoot("voting")
        sides["yellow"].page.locator(f'[data-column="{yellow}"]').click(timeout=TIMEOUT_MS)
        watcher.wait_for(phase="reveal")
    for screen in (one, two, watcher):
        screen.wait_for(phase="ended")
        screen.shoot("ended")
    watcher.page.goto("/play/")
    watcher.shoot("over")
    watcher.page.locator(f'.games a[href="/report/{code}/1"]').click()
    expect(watcher.page.get_by_role("heading", level=1)).to_contain_text("Guest")
    show_ratings(sides["red"])
    play_rematch(one, two)
    assert [screen.errors for screen in (one, two, watcher)] == [[], [], []]


def show_ratings(winner: Screen) -> None:
    text = winner.page.locator(".rating").inner_text()
    assert re.fullmatch(r"Rating 12\d\d \(\+\d\d\)", text)
    page = winner.page.context.new_page()
    page.goto("/play/ratings")
    mine = page.locator("tr.mine")
    expect(mine).to_contain_text(text.split()[1])
    expect(mine).to_contain_text("you")
    page.screenshot(path=SHOTS / "duel-ratings.png", full_page=True)
    page.close()


def play_rematch(one: Screen, two: Screen) -> None:
    """One player asks, the other accepts; the sides are swapped."""
    before = [screen.page.locator("body").get_attribute("data-side") for screen in (one, two)]
    one.page.get_by_role("button", name="Rematch").click()
    expect(one.page.get_by_text("Rematch requested")).to_be_visible(timeout=TIMEOUT_MS)
    two.shoot("asked")
    two.page.get_by_role("button", name="Accept the rematch").click(timeout=TIMEOUT_MS)
    assert [side_of(screen) for screen in (two, one)] == before


def test_new_duel_takes_one_click_and_guest_can_return(server: Server, open_at: OpenScreen) -> None:
    one = enter(server, open_at, "press")
    one.page.get_by_role("button", name="New game").click()
    open_board(one)
    one.wait_for(phase="lobby")
    code = code_of(one)
    one.page.goto("/rules")  # the board would store its seat again
    one.page.evaluate("localStorage.clear()")
    one.page.goto(f"/play/{code}")
    one.shoot("invite")
    open_board(one)
    one.wait_for(phase="lobby")


@pytest.mark.nightly
def test_duel_against_a_crowd(server: Server, open_at: OpenScreen) -> None:
    one = open_at(server, "duel-maker", SMALL)
    one.page.goto("/")
    one.page.get_by_role("link", name="Play one-on-one").click()
    one.page.get_by_text("More options").click()
    one.page.get_by_label("Me against a crowd").check()
    one.page.get_by_role("button", name="Start game").click()
    expect(one.page.get_by_role("heading", name="Your game is ready")).to_be_visible()
    code = code_of(one)

    crowd = [open_at(server, f"duel-crowd-{name}", PHONE) for name in ("a", "b")]
    for screen in crowd:
        screen.page.goto(f"/play/{code}")
        screen.page.get_by_role("link", name="Join the crowd").click()
        screen.wait_for(phase="lobby")
    watcher = open_at(server, "duel-crowd-watcher", PROJECTOR)
    watcher.page.goto(f"/display/{code}")
    expect(one.page.locator(".what")).to_contain_text("2 in the crowd · 1 watching", timeout=PAGE_POLLS_MS)
    one.shoot("gathers")
    crowd[0].shoot("waits")
    watcher.shoot("lobby")

    one.page.get_by_role("button", name="Start match").click()
    open_board(one)
    screens = (one, *crowd, watcher)
    for screen in screens:
        screen.wait_for(phase="voting")
    vote(one, 4)
    vote(crowd[0], 2)
    expect(watcher.page.locator(".watching")).to_have_text("1 watching")
    watcher.shoot("voting")
    vote(crowd[1], 2)
    for screen in screens:
        screen.wait_for(phase="reveal")
    assert [screen.errors for screen in screens] == [[]] * len(screens)
