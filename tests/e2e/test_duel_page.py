"""The page of a duel: two players and a spectator use its board and turns to the end, and plan ahead."""

import re

from playwright.sync_api import FrameLocator, Page, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS

POLL_MS = 2 * TIMEOUT_MS
TURN_MS = 2 * POLL_MS  # the reveal, the opening of the next turn, the cast, and the refresh of the page
ROWS = ".history tbody tr"
FITS_JS = "document.documentElement.scrollWidth <= innerWidth"
OUTDATE_JS = """() => {
  document.querySelector("[data-current]").dataset.current = "outdated";
  document.dispatchEvent(new Event("outdated"));
}"""


def board(page: Page) -> FrameLocator:
    return page.frame_locator(".board iframe")


def expect_phase(page: Page, phase: str) -> None:
    expect(board(page).locator(f'body[data-phase="{phase}"]')).to_be_attached(timeout=POLL_MS)


def begin(open_at: OpenScreen) -> tuple[Page, Page, str]:
    """Start a game of three days between a large and a small window, each on the game's page."""
    one, two = open_at(PROJECTOR, "/play/").page, open_at(PHONE).page
    one.get_by_text("More options").click()
    one.get_by_label("3 days", exact=True).check()
    one.get_by_role("button", name="Start game").click()
    expect_phase(one, "lobby")
    code = one.url.rpartition("/")[2]
    two.goto("/play/")
    two.locator(f'form[action="/play/{code}/join"] button').click()
    for page in (one, two):
        expect_phase(page, "voting")
    return one, two, code


def choose(page: Page, column: int) -> None:
    """Choose a column and wait until the choice is counted, or the turn that it ended is revealed."""
    board(page).locator(f'[data-column="{column}"]').click()
    counted = board(page).locator('main[data-status="counted"], body:not([data-phase="voting"])')
    expect(counted.first).to_be_attached()


def plan(page: Page, theirs: str, own: str) -> None:
    if not page.get_by_role("button", name="Add to plan").is_visible():
        page.get_by_text("Plan your next choice").click()
    page.get_by_label("If your opponent chooses").select_option(theirs)
    page.get_by_label("you choose").select_option(own)
    page.get_by_role("button", name="Add to plan").click()
    expect(page.get_by_text(f"If {theirs}, then {own}")).to_be_visible()


def test_players_and_spectator_share_page_of_duel(open_at: OpenScreen) -> None:
    one, two, code = begin(open_at)
    watcher = open_at(PHONE, f"/play/{code}").page
    expect_phase(watcher, "voting")
    pages = (one, two, watcher)
    play = two.context.new_page()
    play.goto("/play/")
    expect(play).to_have_title("Your turn · Play · Crowdgame")
    choose(one, 4)
    assert [page.locator(ROWS).count() for page in pages] == [0, 0, 0]
    board(two).locator('[data-column="5"]').click()
    expect_phase(one, "reveal")
    # While the board reveals a turn, a refresh adds nothing to the page.
    before = one.locator(ROWS).count()
    with one.expect_response(re.compile(rf"/play/{code}$")) as fetched:
        one.evaluate("document.dispatchEvent(new Event('outdated'))")
    assert re.search(r"<tbody><tr", fetched.value.text())
    assert one.locator(ROWS).count() == before
    for page in pages:
        expect(page.locator(f"{ROWS} td")).to_have_count(2, timeout=POLL_MS)
        assert sorted(page.locator(f"{ROWS} td").all_inner_texts()) == ["4", "5"]
        assert page.evaluate(FITS_JS)
    one.get_by_text("Resign or make an offer").click()
    one.get_by_role("button", name="Resign", exact=True).click()
    for page in pages:
        expect(page.locator(".result")).to_contain_text("won · Resigned", timeout=POLL_MS)
        expect_phase(page, "ended")
        expect(page.get_by_role("link", name="Replay")).to_be_visible()
    assert [page.get_by_role("button", name="Rematch").count() for page in pages] == [1, 1, 0]


def test_turn_plays_itself_when_both_plans_match(open_at: OpenScreen) -> None:
    one, two, _ = begin(open_at)
    for page, theirs, own in ((one, "5", "6"), (one, "1", "2"), (two, "4", "7")):
        plan(page, theirs, own)
        assert page.evaluate(FITS_JS)
    # A page that changes while a player plans keeps what is selected, and the focus.
    their_choice, own_choice = one.get_by_label("If your opponent chooses"), one.get_by_label("you choose")
    their_choice.select_option("3")
    own_choice.select_option("7")
    own_choice.focus()
    one.evaluate(OUTDATE_JS)
    expect(one.locator('[data-current="outdated"]')).to_have_count(0)
    expect(their_choice).to_have_value("3")
    expect(own_choice).to_have_value("7")
    expect(own_choice).to_be_focused()
    one.get_by_role("button", name="Remove your answer to 1").click()
    expect(one.get_by_text("If 1, then 2")).to_have_count(0)
    expect(one.get_by_text("If 5, then 6")).to_be_visible()
    choose(one, 4)
    choose(two, 5)
    for page in (one, two):
        expect(page.locator(ROWS)).to_have_count(2, timeout=TURN_MS)
        cells = page.locator(f"{ROWS} td").all_inner_texts()
        assert [sorted(cells[:2]), sorted(cells[2:])] == [["4", "5"], ["6", "7"]]
        expect_phase(page, "voting")
        expect(page.get_by_text("If 5, then 6")).to_have_count(0)
