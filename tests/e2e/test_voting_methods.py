"""Votes beyond one column, on phones, display and report: drawn games, scores, and the single selector."""

from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.e2e.conftest import OpenScreen, Show
from tests.e2e.open_turn import make_event, open_turn
from tests.e2e.scene_setup import MIDDLE, timed_selector
from tests.e2e.screens import OLD_PROJECTOR, PROJECTOR, Screen, says, tap, vote
from tests.e2e.visible_text import faults, visible_lines
from tests.server import Server

GOOFSPIEL = {"game": "goofspiel", "options": {"cards": 5, "order": [3, 5, 1, 2, 4]}}
IS_USABLE_JS = """() => document.documentElement.scrollWidth <= innerWidth
  && [...document.querySelectorAll("button[data-column]")].map((one) => one.getBoundingClientRect())
    .every(({bottom, width, height}) => bottom <= innerHeight && Math.min(width, height) >= 44)"""


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


@pytest.mark.parametrize(
    ("game", "picks", "names", "sentence", "labels"),
    [
        pytest.param(
            GOOFSPIEL,
            (2, 4),
            ["2", "4"],
            "Rooks bid 2, Doves bid 4: Doves won 3. Rooks 0, Doves 3.",
            ["Prize", "Points"],
            id="goofspiel",
        ),
        pytest.param({"game": "trails"}, (1, 3), ["↑", "↓"], "Rooks: ↑, Doves: ↓.", [], id="trails"),
    ],
)
def test_drawn_game_turn_is_shown_on_all_pages(
    server: Server,
    open_at: OpenScreen,
    *,
    game: dict[str, Any],
    picks: tuple[int, int],
    names: list[str],
    sentence: str,
    labels: list[str],
) -> None:
    event, screens = make_event(server, open_at, **game)
    display, red, yellow = screens
    open_turn(server, event, screens)
    vote(red, picks[0])
    says(red, f"your vote for\u00a0{names[0]}.")
    yellow.page.locator("[data-column]:enabled").first.wait_for()
    yellow.page.keyboard.press(str(picks[1]))
    expect(yellow.page.locator("main")).to_have_attribute("data-status", "counted")
    for screen in screens:
        for label in labels:
            expect(screen.page.locator(".mark").get_by_text(label).first).to_be_visible()
        assert screen.page.evaluate(IS_USABLE_JS)
    before = marks(display.page)
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".choice .column")).to_have_text(names)
    expect(red.page.locator(".sentence")).to_have_text(sentence)
    assert marks(display.page) != before
    report = open_at(PROJECTOR, f"/report/{event['code']}/1").page
    expect(report.get_by_text(sentence)).to_be_visible()
    expect(report.locator("svg.drawing").first).to_be_visible()


def marks(page: Page) -> list[str]:
    """The position of every mark of the drawing."""
    return [str(mark.get_attribute("style")) for mark in page.locator(".mark").all()]


def test_single_selector_full_turn(server: Server, open_at: OpenScreen) -> None:
    choices = {"pace": "normal", "game": "single-selector", "options": {"token": "red"}}
    event, screens = make_event(server, open_at, **choices)
    display, red, yellow = screens
    display.page.set_viewport_size(OLD_PROJECTOR)
    open_turn(server, event, screens)
    says(red, "Choose in secret")
    says(yellow, "Rooks chooses in secret")
    expect(yellow.page.locator("[data-column]:enabled")).to_have_count(0)
    vote(red, 4)
    says(red, "Counted: your vote for\u00a04.")
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".chest")).to_contain_text("Chosen in secret")
    server.ask("open_turn_now", event_id=event["id"])
    says(red, "Doves votes: everyone sees it.")
    says(yellow, "Vote now: everyone sees it.")
    assert display.page.locator(".choice, .bars .votes[data-side=red]").count() == 0
    vote(yellow, 4)
    expect(display.page.locator(".bars .votes").nth(3)).to_have_attribute("data-votes", "1")
    name = "Column 4, 0 of 6 full, 1 vote"
    for phone, label in ((red, name), (yellow, f"{name}, your choice")):
        expect(phone.page.locator("[data-column='4']")).to_have_accessible_name(label)
    server.ask("close_after", event_id=event["id"], ms=200)
    expect(display.page.locator(".choice .column")).to_have_text(["4", "4"])
    expect(display.page.locator(".chest")).to_have_count(0)
    for phone in (red, yellow):
        expect(phone.page.locator(".receipts summary")).to_contain_text("Counted and checked")
    says(yellow, "Choose in secret")


@pytest.mark.parametrize("size", [PROJECTOR, OLD_PROJECTOR], ids=["16x9", "4x3"])
def test_seal_and_time_bank_do_not_overlap(show: Show, size: ViewportSize) -> None:
    page = show("display", timed_selector(MIDDLE))
    page.set_viewport_size(size)
    expect(page.locator(".seal:not(.time-bank)")).to_have_text("Sealed")
    expect(page.locator(".time-bank")).to_have_count(2)
    assert faults(visible_lines(page), size["width"], size["height"]) == []
