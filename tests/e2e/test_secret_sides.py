"""Secret sides in a browser: a voter changes sides unnoticed, and the end shows all changes."""

from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, vote
from tests.server import Server

# The plate closes after three seconds, so this looks again until the answer has arrived.
REVEAL_UNTIL = """(expected) => {
  const shown = document.querySelector(".plate b")?.textContent;
  if (!shown) document.querySelector('[data-do="look"]').click();
  return shown === expected;
}"""
APPEARANCE = "() => [document.body.dataset.team, getComputedStyle(document.body).backgroundColor].join()"


def test_side_change_stays_hidden_until_the_end(server: Server, open_at: OpenScreen) -> None:
    terms = {"max_side_changes": 1, "turn_points": True, "window_s": 90, "pace": "dramatic"}
    event = server.ask("event", lobby="open", team_choice="choose", close_early=True, **terms)
    display = open_at(PROJECTOR, f"/display/{event['code']}")
    one, two = phones = [open_at(PHONE, f"/{event['code']}/{team}") for team in (1, 2)]
    for phone in phones:
        phone.wait_for(phase="lobby")
    server.ask("begin", event_id=event["id"])
    for phone, column in ((one, 3), (two, 5)):
        phone.wait_for(phase="voting")
        vote(phone, column)
    one.wait_for(phase="reveal")
    before = one.page.evaluate(APPEARANCE)
    one.page.locator('[data-do="side"]').click()
    one.page.locator('[data-do="cross"]').click()
    expect(one.page.locator('[data-do="remain"]')).to_be_disabled()
    expect(one.page.get_by_role("dialog").get_by_role("status")).to_contain_text("Saved.")
    one.page.wait_for_function(REVEAL_UNTIL, arg="You play for Doves.")
    expect(one.page.locator(".plate b")).to_have_count(0)
    one.page.locator('.sides [data-do="close"]').click()
    assert one.page.evaluate(APPEARANCE) == before
    for phone in phones:
        phone.wait_for(phase="voting")
        vote(phone, 4)
    for screen in (*phones, display):
        screen.wait_for(phase="ended")
    for phone, points in ((one, "One point."), (two, "2 points.")):
        status = phone.page.get_by_role("status")
        expect(status).to_contain_text(f"You ended on the winning side. {points}")
    expect(display.page.locator(".side-changes")).to_contain_text("1 switched in time")
