""" "Your turn" in a duel of days: in the page title, and as a browser notification if allowed."""

from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, TIMEOUT_MS, vote
from tests.e2e.test_duels import SMALL, code_of, enter, open_board, side_of
from tests.server import Server

# A headless browser shows no notifications and hides no page, so this records the requests.
BELL = """
window.rung = [];
window.Notification = class {
  static permission = "default";
  static requestPermission() { return Promise.resolve((this.permission = "granted")); }
  constructor(title, { body }) { rung.push(`${title}: ${body}`); }
};
Object.defineProperty(document, "hidden", { get: () => true });
"""


def test_duel_notifies_player_of_turn_in_title_and_browser(server: Server, open_at: OpenScreen) -> None:
    one = open_at(server, "turns-one", SMALL)
    one.page.add_init_script(BELL)
    one.page.goto("/play/")
    one.page.get_by_text("More options").click()
    one.page.get_by_label("3 days", exact=True).check()
    one.page.get_by_role("button", name="Start game").click()
    open_board(one)
    one.wait_for(phase="lobby")
    plain = one.page.title()
    assert "Your turn" not in plain

    two = enter(server, open_at, "turns-two", PHONE)
    two.page.locator(f'form[action="/play/{code_of(one)}/join"] button').click()
    open_board(two)
    side_of(two)
    expect(one.page).to_have_title(f"Your turn · {plain}", timeout=TIMEOUT_MS)
    expect(one.page.get_by_role("button", name="Tell me")).to_have_count(0)
    assert one.page.evaluate("rung") == []

    vote(one, 1)
    expect(one.page).to_have_title(plain, timeout=TIMEOUT_MS)
    one.shoot("bell")
    for action in ("Abort game", "Offer a draw"):
        expect(one.page.get_by_role("button", name=action)).to_be_visible()
    one.page.get_by_role("button", name="Notify me on my turn").click()
    expect(one.page.get_by_text("You'll be notified")).to_be_visible()
    expect(one.page.get_by_role("button", name="Offer a draw")).to_be_visible()
    one.shoot("told")
    assert len(one.page.evaluate("rung")) == 1

    vote(two, 2)
    one.wait_for(phase="reveal")
    expect(one.page).to_have_title(f"Your turn · {plain}", timeout=3 * TIMEOUT_MS)
    assert [text.startswith("Your turn: Guest ") for text in one.page.evaluate("rung")[1:]] == [True]
    two.page.goto("/play/")
    expect(two.page).to_have_title("Your turn · Play · Crowdgame")
    two.shoot("play")
    assert [screen.errors for screen in (one, two)] == [[], []]
