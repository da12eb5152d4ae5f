"""Score voting, resignation and draws on phones and display, by touch and keyboard."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.open_turn import make_event, open_turn
from tests.e2e.screens import Screen, says, tap
from tests.server import Server


class Vote:
    """An open turn on a display and a phone in each team."""

    def __init__(self, server: Server, open_at: OpenScreen, **terms: Any) -> None:
        event, screens = make_event(server, open_at, tie_rule="first", **terms)
        self.server, self.event, (self.display, self.red, self.yellow) = server, event["id"], screens
        open_turn(server, event, screens)

    def close(self) -> None:
        for screen in (self.red, self.yellow):
            assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        self.server.ask("close_after", event_id=self.event, ms=200)


def presses(screen: Screen, *columns: int) -> None:
    for column in columns:
        screen.page.locator(f'[data-column="{column}"]').click()


def types(screen: Screen, *keys: str) -> None:
    for key in keys:
        screen.page.keyboard.press(key)


def test_score_adds_a_point_with_each_tap(server: Server, open_at: OpenScreen) -> None:
    vote = Vote(server, open_at, tally_method="score", own_counts=True)
    says(vote.red, "Tap to give points, up to 5 each.")
    presses(vote.red, 2, 2, 2, 2, 2, 5, 5, 7)
    says(vote.red, "Counted: 2 \u00d75, 5 \u00d72, 7.")
    presses(vote.red, 2)
    says(vote.red, "Counted: 5 \u00d72, 7.")
    name = "Column 5, 0 of 6 full, 2 points, you gave 2 points, your choice"
    expect(vote.red.page.locator('[data-column="5"]')).to_have_accessible_name(name)
    types(vote.yellow, "6", "4", "6", "6", "ArrowRight", "Enter")
    says(vote.yellow, "Counted: 1, 4, 6 \u00d73.")
    vote.red.page.reload()
    says(vote.red, "Counted: 5 \u00d72, 7.")
    vote.close()
    expect(vote.display.page.locator(".choice p")).to_have_text(["of the possible points"] * 2)
    expect(vote.display.page.locator(".choice .share")).to_have_text(["40%", "60%"])
    says(vote.red, "Your team picked 5 with 40% (2 points).")


@pytest.mark.parametrize("hidden", [False, True], ids=["seen", "hidden"])
def test_team_resigns_after_confirmed_request(server: Server, open_at: OpenScreen, hidden: bool) -> None:
    vote = Vote(server, open_at, resign="two_thirds")
    presses(vote.red, 3)
    presses(vote.yellow, 3)
    says(vote.red, "Counted: your vote for\u00a03.")
    if hidden:
        tap(vote.red.page.locator('[data-do="hide"]'))
    wish = vote.red.page.locator('[data-do="resign"]')
    wish.click()
    expect(wish).to_have_text("Sure? Tap again")
    wish.click()
    expect(vote.red.page.locator("main")).to_have_attribute("data-status", "counted")
    expect(wish).to_have_attribute("aria-pressed", "false" if hidden else "true")
    if hidden:  # repeat it: the request to resign must stay
        wish.click()
        wish.click()
    presses(vote.red, 4)
    says(vote.red, "Counted." if hidden else "Counted: your vote for\u00a04.")
    vote.close()
    expect(vote.display.page.locator(".choice .none")).to_have_text("Gives up")
    says(vote.yellow, "Doves wins. Rooks gave up.")
    expect(vote.display.page.locator(".end")).to_contain_text("Rooks gave up")


def test_majorities_of_both_teams_agree_on_a_draw(server: Server, open_at: OpenScreen) -> None:
    vote = Vote(server, open_at, draw_offers=True)
    presses(vote.red, 3)
    presses(vote.yellow, 3)
    for phone, label, other in ((vote.red, "Offer a draw", 4), (vote.yellow, "Accept the draw", 5)):
        if phone is vote.yellow:
            says(vote.red, "Your team offers a draw · 100%.")
            says(vote.yellow, "Rooks offers a draw · 100%.")
            expect(vote.display.page.locator("body")).to_contain_text("Rooks offers a draw")
            presses(vote.yellow, 2)
        draw = phone.page.locator('[data-do="draw"]')
        expect(draw).to_have_text(label)
        draw.click()
        expect(draw).to_have_attribute("aria-pressed", "true")
        presses(phone, other)
        says(phone, f"Counted: your vote for\u00a0{other}.")
        vote.close()
    says(vote.red, "Nobody wins. Both agreed to a draw.")
    expect(vote.display.page.locator(".end")).to_contain_text("Both agreed to a draw")
