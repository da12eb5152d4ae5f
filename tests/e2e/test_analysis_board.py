"""The analysis board of a match, from its report: stepping, other columns, values, and what stays hidden."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import axe
from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import WON
from tests.e2e.screens import SMALL_PHONE
from tests.server import Server

MAX_GZIP_BYTES = 60_000


def test_reader_tries_other_columns_and_returns_to_the_match(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", options={"token": "red"})
    server.ask("play_to", event_id=event["id"], picks=[list(pick) for pick in WON])
    page = open_at(SMALL_PHONE, f"/report/{event['code']}/1").page
    page.get_by_role("button", name="Last turn").click()
    page.locator("#turn-4").get_by_role("link", name="Try other columns").click()
    expect(page.get_by_role("status")).to_have_text("After turn 3")
    value = page.locator(".value")
    expect(value).to_contain_text("Winning chance of Rooks: ")
    expect(value).to_have_attribute("aria-busy", "false")
    assert not axe.check(page, "analysis board")
    _pick(page, "Rooks", 4)
    _pick(page, "Doves", 1)
    expect(page.get_by_role("status")).to_have_text("After turn 4, not as played")
    assert page.evaluate("document.activeElement.textContent") == "After turn 4, not as played"
    expect(page.locator('.cabinet [data-cell="1,4"]')).to_have_attribute("data-owner", "yellow")
    page.get_by_role("button", name="Back to the match").click()
    expect(page.get_by_role("status")).to_have_text("After turn 3")
    assert page.evaluate("document.activeElement.textContent") == "After turn 3"
    page.keyboard.press("Shift+ArrowRight")
    expect(page.get_by_role("status")).to_have_text("After turn 3")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".explorer .end")).to_have_text("Rooks wins")
    server.ask("play_to", event_id=event["id"], picks=[list(pick) for pick in WON[:1]])
    expect(page.get_by_role("button", name="First turn")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".note")).to_contain_text("People are voting on this position", timeout=15_000)
    expect(value).to_have_count(0)
    page.keyboard.press("Home")
    expect(value).to_contain_text("≈")


def _pick(page: Page, team: str, column: int) -> None:
    page.get_by_role("group", name=team).get_by_role("button").nth(column - 1).click()


@pytest.mark.nightly
def test_page_is_small_without_the_weights(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open")
    server.ask("play_to", event_id=event["id"], picks=[list(pick) for pick in WON])
    page = open_at(SMALL_PHONE).page
    sizes: dict[str, int] = {}
    page.on("requestfinished", lambda done: sizes.update({done.url: done.sizes()["responseBodySize"]}))
    with page.expect_event("requestfinished", lambda done: ".wasm" in done.url):
        page.goto(f"/report/{event['code']}/1/board")
    expect(page.locator(".value")).to_contain_text("Winning chance")
    assert sum(size for url, size in sizes.items() if not url.endswith(".gz")) <= MAX_GZIP_BYTES, sizes
