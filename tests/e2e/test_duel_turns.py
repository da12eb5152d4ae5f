""" "Your turn" in a duel of days: in the page title, and as a browser notification if allowed."""

import re

from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, TIMEOUT_MS, vote
from tests.server import Server

# A headless browser shows no notifications and hides no page, so this records the requests.
BELL_JS = """
window.rung = [];
window.Notification = class {
  static permission = "default";
  static requestPermission() { return Promise.resolve((this.permission = "granted")); }
  constructor(title, { body }) { rung.push(`${title}: ${body}`); }
};
Object.defineProperty(document, "hidden", { get: () => true });
"""


def test_duel_notifies_player_of_turn_in_title_and_browser(server: Server, open_at: OpenScreen) -> None:
    made = server.ask("duel")
    one, two = open_at(PHONE), open_at(PHONE)
    one.page.add_init_script(BELL_JS)
    for phone, key in zip((one, two), made["keys"], strict=True):
        phone.page.goto(f"/{made['code']}#{key}")
        phone.wait_for(phase="voting")
    expect(one.page).to_have_title(re.compile("^Your turn · "))
    expect(one.page.get_by_role("button", name="Tell me")).to_have_count(0)
    assert one.page.evaluate("rung") == []
    vote(one, 1)
    expect(one.page).not_to_have_title(re.compile("Your turn"))
    one.page.get_by_role("button", name="Notify me on my turn").click()
    expect(one.page.get_by_text("You'll be notified")).to_be_visible()
    for action in ("Abort game", "Offer a draw"):
        expect(one.page.get_by_role("button", name=action)).to_be_visible()
    assert len(one.page.evaluate("rung")) == 1
    vote(two, 2)
    one.wait_for(phase="reveal")
    expect(one.page).to_have_title(re.compile("^Your turn · "), timeout=3 * TIMEOUT_MS)
    assert [text.startswith("Your turn: Guest ") for text in one.page.evaluate("rung")[1:]] == [True]
