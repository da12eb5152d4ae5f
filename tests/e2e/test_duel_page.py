"""The page of a duel: two players and a spectator use its board and turns to the end, and plan ahead."""

import re

from playwright.sync_api import FrameLocator, Page, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, Screen
from tests.server import Server

POLL_MS = 2 * TIMEOUT_MS
TURN_MS = 2 * POLL_MS  # the reveal, the opening of the next turn, the cast, and the refresh of the page
ROWS = ".history tbody tr"
PLAN = "Plan your next choice"
OUTDATE_JS = """() => {
  document.querySelector("[data-current]").dataset.current = "outdated";
  document.dispatchEvent(new Event("outdated"));
}"""


def board(page: Page) -> FrameLocator:
    return page.frame_locator(".board iframe")


def expect_phase(page: Page, phase: str) -> None:
    expect(board(page).locator(f'body[data-phase="{phase}"]')).to_be_attached(timeout=POLL_MS)


def begin(server: Server, open_at: OpenScreen) -> tuple[Screen, Screen, str]:
    """Start a game of three days between a large and a small window, each on the game's page."""
    one, two = open_at(server, "duel-one", PROJECTOR), open_at(server, "duel-two", PHONE)
    one.page.goto("/play/")
    one.page.get_by_text("More options").click()
    one.page.get_by_label("3 days", exact=True).check()
    one.page.get_by_role("button", name="Start game").click()
    expect_phase(one.page, "lobby")
    code = one.page.url.rpartition("/")[2]
    two.page.goto("/play/")
    two.page.locator(f'form[action="/play/{code}/join"] button').click()
    for screen in (one, two):
        expect_phase(screen.page, "voting")
    return one, two, code


def choose(page: Page, column: int) -> None:
    """Choose a column and wait until the choice is counted, or the turn that it ended is revealed."""
    board(page).locator(f'[data-column="{column}"]').click(timeout=TIMEOUT_MS)
    counted = board(page).locator('main[data-status="counted"], body:not([data-phase="voting"])')
    expect(counted.first).to_be_attached(timeout=TIMEOUT_MS)


def plan(page: Page, theirs: str, own: str) -> None:
    if not page.get_by_role("button", name="Add to plan").is_visible():
        page.get_by_text(PLAN).click()
    page.get_by_label("If your opponent chooses").select_option(theirs)
    page.get_by_label("you choose").select_option(own)
    page.get_by_role("button", name="Add to plan").click()
    expect(page.get_by_text(f"If {theirs}, then {own}")).to_be_visible(timeout=TIMEOUT_MS)


def test_new_duel_takes_one_click_and_guest_can_return(server: Server, open_at: OpenScreen) -> None:
    screen = open_at(server, "duel-press", PHONE)
    page = screen.page
    page.goto("/play/")
    page.get_by_role("button", name="New game").click()
    page.get_by_role("link", name="Open the board").click()
    screen.wait_for(phase="lobby")
    code = page.url.rpartition("/")[2]
    page.goto("/rules")  # the board would store its seat again
    page.evaluate("localStorage.clear()")
    page.goto(f"/play/{code}")
    page.get_by_role("link", name="Open the board").click()
    screen.wait_for(phase="lobby")


def test_players_and_spectator_share_page_of_duel(server: Server, open_at: OpenScreen) -> None:
    one, two, code = begin(server, open_at)
    watcher = open_at(server, "duel-page-watcher", PHONE)
    watcher.page.goto(f"/play/{code}")
    expect_phase(watcher.page, "voting")
    screens = (one, two, watcher)
    play = two.page.context.new_page()
    play.goto("/play/")
    expect(play).to_have_title("Your turn · Play · Crowdgame")

    choose(one.page, 4)
    assert [screen.page.locator(ROWS).count() for screen in screens] == [0, 0, 0]
    board(two.page).locator('[data-column="5"]').click()
    expect_phase(one.page, "reveal")
    # While the board reveals a turn, a refresh adds nothing to the page.
    before = one.page.locator(ROWS).count()
    with one.page.expect_response(re.compile(rf"/play/{code}$")) as fetched:
        one.page.evaluate("document.dispatchEvent(new Event('outdated'))")
    assert re.search(r"<tbody><tr", fetched.value.text())
    assert one.page.locator(ROWS).count() == before
    for screen in screens:
        expect(screen.page.locator(f"{ROWS} td")).to_have_count(2, timeout=POLL_MS)
        assert sorted(screen.page.locator(f"{ROWS} td").all_inner_texts()) == ["4", "5"]
        screen.shoot("playing")
        assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    one.page.get_by_text("Resign or make an offer").click()
    one.page.get_by_role("button", name="Resign", exact=True).click()
    for screen in screens:
        expect(screen.page.locator(".result")).to_contain_text("won · Resigned", timeout=POLL_MS)
        expect_phase(screen.page, "ended")
        expect(screen.page.get_by_role("link", name="Replay")).to_be_visible()
        screen.shoot("over")
    assert [screen.page.get_by_role("button", name="Rematch").count() for screen in screens] == [1, 1, 0]
    assert [screen.errors for screen in screens] == [[], [], []]


def test_turn_plays_itself_when_both_plans_match(server: Server, open_at: OpenScreen) -> None:
    one, two, _ = begin(server, open_at)
    plan(one.page, "5", "6")
    plan(one.page, "1", "2")
    plan(two.page, "4", "7")
    for screen in (one, two):
        screen.shoot("planned")
        assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # A page that changes while a player plans keeps what is selected, and the focus.
    theirs, own = one.page.get_by_label("If your opponent chooses"), one.page.get_by_label("you choose")
    theirs.select_option("3")
    own.select_option("7")
    own.focus()
    one.page.evaluate(OUTDATE_JS)
    expect(one.page.locator('[data-current="outdated"]')).to_have_count(0, timeout=TIMEOUT_MS)
    expect(theirs).to_have_value("3")
    expect(own).to_have_value("7")
    expect(own).to_be_focused()
    one.page.get_by_role("button", name="Remove your answer to 1").click()
    expect(one.page.get_by_text("If 1, then 2")).to_have_count(0)
    expect(one.page.get_by_text("If 5, then 6")).to_be_visible()

    choose(one.page, 4)
    choose(two.page, 5)
    for screen in (one, two):
        expect(screen.page.locator(ROWS)).to_have_count(2, timeout=TURN_MS)
        cells = screen.page.locator(f"{ROWS} td").all_inner_texts()
        assert [sorted(cells[:2]), sorted(cells[2:])] == [["4", "5"], ["6", "7"]]
        expect_phase(screen.page, "voting")
        expect(screen.page.get_by_text("If 5, then 6")).to_have_count(0)
    assert [screen.errors for screen in (one, two)] == [[], []]
