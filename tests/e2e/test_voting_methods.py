"""Approval, ranked voting, score voting and resignation, on phones and display, by touch and keyboard."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.open_turn import make_event, open_turn
from tests.e2e.screens import TIMEOUT_MS, Screen, tap
from tests.server import Server


def stage(server: Server, open_at: OpenScreen, **terms: Any) -> tuple[int, Screen, Screen, Screen]:
    event, screens = make_event(server, open_at, tie_rule="first", **terms)
    open_turn(server, event, screens)
    return event["id"], *screens


def says(screen: Screen, text: str) -> None:
    expect(screen.page.locator(".sentence")).to_contain_text(text, timeout=TIMEOUT_MS)


def presses(screen: Screen, *columns: int) -> None:
    for column in columns:
        screen.page.locator(f'[data-column="{column}"]').click(timeout=TIMEOUT_MS)


def pressed(screen: Screen) -> list[str | None]:
    held = screen.page.locator('[data-column][aria-pressed="true"]')
    return [column.get_attribute("aria-label") for column in held.all()]


def fits(screen: Screen) -> None:
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    screen.shoot("voted")
    assert screen.errors == []


def test_approval_selects_and_deselects_columns(server: Server, open_at: OpenScreen) -> None:
    event, display, red, yellow = stage(server, open_at, tally_method="approval")
    says(red, "Choose all you like.")
    presses(red, 2, 5, 7)
    says(red, "Counted: 2, 5, 7.")
    presses(red, 7)
    says(red, "Counted: 2, 5.")
    assert [name and name.split(",")[0] for name in pressed(red)] == ["Column 2", "Column 5"]
    for key in ("6", "4", "6"):
        yellow.page.keyboard.press(key)
    says(yellow, "Counted: 4.")
    for screen in (red, yellow):
        fits(screen)
    red.page.reload()
    says(red, "Counted: 2, 5.")
    server.ask("close_after", event_id=event, ms=200)
    texts = ["A tie: 2 got there first", "of 1 voter approved"]
    expect(display.page.locator(".choice p")).to_have_text(texts, timeout=TIMEOUT_MS)
    says(red, "Your team picked 2: you alone")
    display.shoot("picks")


def test_ranking_follows_the_order_of_taps(server: Server, open_at: OpenScreen) -> None:
    event, display, red, yellow = stage(server, open_at, tally_method="instant_runoff")
    says(red, "Tap up to three, best first.")
    presses(red, 5, 2, 7, 1)
    says(red, "Counted: 5, 2, 1.")
    presses(red, 5)
    says(red, "Counted: 2, 1.")
    labels = [name or "" for name in pressed(red)]
    assert [label.split(", ", 1)[0] for label in labels] == ["Column 1", "Column 2"]
    assert "choice 2" in labels[0]
    assert "choice 1" in labels[1]
    presses(yellow, 3, 4, 6)
    says(yellow, "Counted: 3, 4, 6.")
    for screen in (red, yellow):
        fits(screen)
    server.ask("close_after", event_id=event, ms=200)
    expect(display.page.locator(".choice .column")).to_have_text(["2", "3"], timeout=TIMEOUT_MS)
    says(red, "Your team picked 2")
    display.shoot("picks")


def test_score_adds_a_point_with_each_tap(server: Server, open_at: OpenScreen) -> None:
    terms = {"tally_method": "score", "own_counts": True}
    event, display, red, yellow = stage(server, open_at, **terms)
    says(red, "Tap to give points, up to 5 each.")
    presses(red, 2, 2, 2, 2, 2, 5, 5, 7)
    says(red, "Counted: 2 \u00d75, 5 \u00d72, 7.")
    presses(red, 2)
    says(red, "Counted: 5 \u00d72, 7.")
    expect(red.page.locator('[data-column="5"]')).to_have_accessible_name(
        "Column 5, 0 of 6 full, 2 points, you gave 2 points, your choice", timeout=TIMEOUT_MS
    )
    for key in ("6", "4", "6", "6"):
        yellow.page.keyboard.press(key)
    yellow.page.keyboard.press("ArrowRight")
    yellow.page.keyboard.press("Enter")
    says(yellow, "Counted: 1, 4, 6 \u00d73.")
    for screen in (red, yellow):
        fits(screen)
    red.page.reload()
    says(red, "Counted: 5 \u00d72, 7.")
    server.ask("close_after", event_id=event, ms=200)
    texts = ["of the possible points", "of the possible points"]
    expect(display.page.locator(".choice p")).to_have_text(texts, timeout=TIMEOUT_MS)
    expect(display.page.locator(".choice .share")).to_have_text(["40%", "60%"])
    says(red, "Your team picked 5 with 40% (2 points).")
    display.shoot("picks")


@pytest.mark.parametrize(
    "hidden", [pytest.param(False, id="seen", marks=pytest.mark.nightly), pytest.param(True, id="hidden")]
)
def test_team_resigns_after_confirmed_request(server: Server, open_at: OpenScreen, hidden: bool) -> None:
    event, display, red, yellow = stage(server, open_at, resign="two_thirds")
    presses(red, 3)
    presses(yellow, 3)
    says(red, "Counted: your vote for\u00a03.")
    if hidden:
        tap(red.page.locator('[data-do="hide"]'))
    wish = red.page.locator('[data-do="resign"]')
    wish.click()
    expect(wish).to_have_text("Sure? Tap again")
    wish.click()
    expect(red.page.locator("main")).to_have_attribute("data-status", "counted")
    expect(wish).to_have_attribute("aria-pressed", "false" if hidden else "true")
    if hidden:  # repeat it: the request to resign must stay
        wish.click()
        wish.click()
    red.shoot("asked")
    presses(red, 4)
    says(red, "Counted." if hidden else "Counted: your vote for\u00a04.")
    fits(red)
    server.ask("close_after", event_id=event, ms=200)
    expect(display.page.locator(".choice .none")).to_have_text("Gives up", timeout=TIMEOUT_MS)
    display.shoot("picks")
    says(yellow, "Doves wins. Rooks gave up.")
    expect(display.page.locator(".end")).to_contain_text("Rooks gave up", timeout=TIMEOUT_MS)
    for screen in (display, red, yellow):
        screen.shoot("ended")
        assert screen.errors == []


def test_majorities_of_both_teams_agree_on_a_draw(server: Server, open_at: OpenScreen) -> None:
    event, display, red, yellow = stage(server, open_at, draw_offers=True)
    presses(red, 3)
    presses(yellow, 3)
    offer = red.page.locator('[data-do="draw"]')
    expect(offer).to_have_text("Offer a draw")
    offer.click()
    expect(offer).to_have_attribute("aria-pressed", "true")
    presses(red, 4)
    says(red, "Counted: your vote for\u00a04.")
    fits(red)
    server.ask("close_after", event_id=event, ms=200)
    says(red, "Your team offers a draw · 100%.")
    says(yellow, "Rooks offers a draw · 100%.")
    expect(display.page.locator("body")).to_contain_text("Rooks offers a draw", timeout=TIMEOUT_MS)
    display.shoot("offer")
    presses(yellow, 5)
    accept = yellow.page.locator('[data-do="draw"]')
    expect(accept).to_have_text("Accept the draw")
    accept.click()
    expect(accept).to_have_attribute("aria-pressed", "true")
    says(yellow, "Counted")
    fits(yellow)
    server.ask("close_after", event_id=event, ms=200)
    says(red, "Nobody wins. Both agreed to a draw.")
    expect(display.page.locator(".end")).to_contain_text("Both agreed to a draw", timeout=TIMEOUT_MS)
    for screen in (display, red, yellow):
        screen.shoot("ended")
