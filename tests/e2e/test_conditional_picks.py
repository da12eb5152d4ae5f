"""Conditional picks by clicking: both players plan an answer, and the next turn plays itself."""

from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, Screen
from tests.e2e.test_duel_page import POLL_MS, ROWS, board, expect_phase, fits
from tests.e2e.test_duels import code_of, enter
from tests.server import Server

SUMMARY = "Plan your next choice"
TURN_MS = 2 * POLL_MS  # the reveal, the opening of the next turn, the cast, and the refresh of the page
OUTDATE_JS = """() => {
  document.querySelector("[data-current]").dataset.current = "outdated";
  document.dispatchEvent(new Event("outdated"));
}"""


def begin(server: Server, open_at: OpenScreen, name: str) -> tuple[Screen, Screen, str]:
    """Start a game of three days between a large and a small window, each on the game's page."""
    one = enter(server, open_at, f"plan-{name}-one", PROJECTOR)
    one.page.get_by_text("More options").click()
    one.page.get_by_label("3 days", exact=True).check()
    one.page.get_by_role("button", name="Start game").click()
    expect_phase(one.page, "lobby")
    code = code_of(one)
    two = enter(server, open_at, f"plan-{name}-two")
    two.page.locator(f'form[action="/play/{code}/join"] button').click()
    for screen in (one, two):
        expect_phase(screen.page, "voting")
    return one, two, code


def plan(page: Page, theirs: str, own: str) -> None:
    summary = page.get_by_text(SUMMARY)
    if not page.get_by_role("button", name="Add to plan").is_visible():
        summary.click()
    page.get_by_label("If your opponent chooses").select_option(theirs)
    page.get_by_label("you choose").select_option(own)
    page.get_by_role("button", name="Add to plan").click()
    expect(planned(page, theirs, own)).to_be_visible(timeout=TIMEOUT_MS)


def assert_refresh_keeps_entries(page: Page) -> None:
    """A page that changes while a player plans keeps what is selected, and the focus."""
    theirs, own = page.get_by_label("If your opponent chooses"), page.get_by_label("you choose")
    theirs.select_option("3")
    own.select_option("7")
    own.focus()
    page.evaluate(OUTDATE_JS)
    expect(page.locator('[data-current="outdated"]')).to_have_count(0, timeout=TIMEOUT_MS)
    expect(theirs).to_have_value("3")
    expect(own).to_have_value("7")
    expect(own).to_be_focused()


def planned(page: Page, theirs: str, own: str) -> Locator:
    return page.get_by_text(f"If {theirs}, then {own}")


def choose(page: Page, column: int) -> None:
    """Choose a column and wait until the choice is counted, or the turn that it ended is revealed."""
    board(page).locator(f'[data-column="{column}"]').click(timeout=TIMEOUT_MS)
    counted = board(page).locator('main[data-status="counted"], body:not([data-phase="voting"])')
    expect(counted.first).to_be_attached(timeout=TIMEOUT_MS)


def test_turn_plays_itself_when_both_plans_match(server: Server, open_at: OpenScreen) -> None:
    one, two, code = begin(server, open_at, "both")
    watcher = open_at(server, "plan-watcher", PHONE)
    watcher.page.goto(f"/play/{code}")
    one.page.get_by_text(SUMMARY).click()
    one.shoot("empty")
    assert_refresh_keeps_entries(one.page)
    plan(one.page, "5", "6")
    plan(one.page, "1", "2")
    plan(two.page, "4", "7")
    for screen in (one, two):
        screen.page.evaluate("document.querySelector('#plan').scrollIntoView()")
        screen.shoot("planned")
        assert fits(screen.page)
    one.page.get_by_role("button", name="Remove your answer to 1").click()
    expect(planned(one.page, "1", "2")).to_have_count(0)
    expect(planned(one.page, "5", "6")).to_be_visible()
    expect(planned(two.page, "5", "6")).to_have_count(0)
    expect(watcher.page.get_by_text(SUMMARY)).to_have_count(0)

    choose(one.page, 4)
    choose(two.page, 5)
    for screen in (one, two, watcher):
        expect(screen.page.locator(ROWS)).to_have_count(2, timeout=TURN_MS)
        cells = screen.page.locator(f"{ROWS} td").all_inner_texts()
        assert [sorted(cells[:2]), sorted(cells[2:])] == [["4", "5"], ["6", "7"]]
    for screen in (one, two):
        expect_phase(screen.page, "voting")
        expect(planned(screen.page, "5", "6")).to_have_count(0)
        screen.shoot("played")
    assert [screen.errors for screen in (one, two, watcher)] == [[], [], []]


def test_open_board_shows_the_planned_choice(server: Server, open_at: OpenScreen) -> None:
    one, two, _ = begin(server, open_at, "alone")
    plan(one.page, "5", "6")
    choose(one.page, 4)
    choose(two.page, 5)
    expect(planned(one.page, "5", "6")).to_have_count(0, timeout=TURN_MS)
    expect(board(two.page).locator('main[data-status="counted"]')).to_have_count(0, timeout=TURN_MS)
    expect(board(one.page).locator('main[data-status="counted"]')).to_be_attached(timeout=TURN_MS)
    expect(board(one.page).get_by_text("You chose 6. You can still change it.")).to_be_visible()
    board(one.page).locator("main").evaluate("main => main.scrollIntoView()")
    one.shoot("cast")
    two.shoot("opponent")
    choose(two.page, 3)
    for screen in (one, two):
        expect(screen.page.locator(ROWS)).to_have_count(2, timeout=TURN_MS)
    assert [screen.errors for screen in (one, two)] == [[], []]
