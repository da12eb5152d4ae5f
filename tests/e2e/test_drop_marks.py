"""Voters find their own drop: the phone asks for it, and the display marks it in the reveal."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenScreen, Show
from tests.e2e.scene_setup import MIDDLE, with_options
from tests.e2e.screens import PHONE, PROJECTOR, vote
from tests.server import Server
from voting.protocol import DropShown

RED, YELLOW = (3, 0, 9, 1, 4, 2, 1), (100, 1200, 300, 1000, 500, 400, 0)
SLOWER = 3_000
INSIDE_JS = """([side, column]) => {
  const bars = [...document.querySelectorAll(".bars rect")];
  const bar = bars[(side === "red" ? 0 : bars.length / 2) + column - 1].getBoundingClientRect();
  const mark = document.querySelector(".drop-mark").getBoundingClientRect();
  const [x, y] = [mark.x + mark.width / 2, mark.y + mark.height / 2];
  return x >= bar.left - 1 && x <= bar.right + 1 && y >= bar.top - 6 && y <= bar.bottom + 6;
}"""


def show_drop(show: Show, side: Any, column: int, rank: int, **options: Any) -> Page:
    """Show a slow reveal with a drop to be marked."""
    scripted = with_options(MIDDLE.with_votes(RED, YELLOW), **options)
    drop = DropShown(turn=MIDDLE.turn_id - 1, side=side, column=column, rank=rank, symbol=0)
    return show("display", lambda now: scripted.reveal(now, "picks", SLOWER), "reveal", more=(drop,))


@pytest.mark.parametrize(
    ("side", "column", "rank"), [("red", 3, 0), ("red", 3, 8), ("yellow", 2, 0), ("yellow", 2, 1199)]
)
def test_mark_lies_in_the_pile_of_its_column(show: Show, side: str, column: int, rank: int) -> None:
    page = show_drop(show, side, column, rank)
    expect(page.locator(".drop-mark")).to_have_count(1)
    assert page.evaluate(INSIDE_JS, [side, column])


@pytest.mark.parametrize("hidden", ["drops", "tally", "turnout"])
def test_display_marks_nothing_that_is_hidden(show: Show, hidden: str) -> None:
    page = show_drop(show, "yellow", 2, 0, hidden=(hidden,))
    page.wait_for_timeout(200)  # nothing should happen, so there is nothing to wait for
    expect(page.locator(".drop-mark")).to_have_count(0)


def test_mark_has_the_symbol_that_the_phone_shows(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", window_s=90, pace="dramatic")
    display = open_at(PROJECTOR, f"/display/{event['code']}")
    phone = open_at(PHONE, f"/{event['code']}")
    phone.wait_for(phase="lobby")
    server.ask("open_turn_now", event_id=event["id"])
    phone.wait_for(phase="voting")
    button = phone.page.get_by_role("button", name="Find my drop")
    expect(button).to_have_count(0)
    vote(phone, 4)
    button.click()
    notice = phone.page.locator(".drop")
    expect(notice).to_contain_text("will mark your drop")
    server.ask("close_after", event_id=event["id"], ms=300)
    symbol = display.page.locator(".drop-mark").text_content()  # it is gone 2 s later
    expect(notice).to_have_text(f"Yours is drop 1 {symbol}")  # for the rest of the reveal
