"""Voters find their own drop: the phone asks for it, and the display marks it in the reveal."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.particle_pages import with_votes
from tests.e2e.scene_setup import CODE, MIDDLE, with_options
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, vote
from tests.server import Server
from voting.protocol import DropShown

SLOWER = 3_000
RED, YELLOW = (3, 0, 9, 1, 4, 2, 1), (100, 1200, 300, 1000, 500, 400, 0)
INSIDE_JS = """([side, column]) => {
  const bars = [...document.querySelectorAll(".bars rect")];
  const bar = bars[(side === "red" ? 0 : bars.length / 2) + column - 1].getBoundingClientRect();
  const mark = document.querySelector(".drop-mark").getBoundingClientRect();
  const [x, y] = [mark.x + mark.width / 2, mark.y + mark.height / 2];
  return x >= bar.left - 1 && x <= bar.right + 1 && y >= bar.top - 6 && y <= bar.bottom + 6;
}"""


def show_reveal(page: Page, fake_gateway: FakeGateway, drops: list[DropShown], **options: Any) -> None:
    scripted = with_options(with_votes(MIDDLE, RED, YELLOW), **options)
    page.set_viewport_size({"width": 1280, "height": 720})
    fake_gateway.show(scripted.reveal(fake_gateway.now(), "picks", SLOWER), more=tuple(drops))
    page.goto(f"{fake_gateway.http}/display/{CODE}", wait_until="networkidle")
    expect(page.locator("body")).to_have_attribute("data-phase", "reveal")


def drop(column: int, rank: int, side: str = "red", symbol: int = 0) -> DropShown:
    return DropShown(turn=MIDDLE.turn_id - 1, side=side, column=column, rank=rank, symbol=symbol)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("side", "column", "rank"), [("red", 3, 0), ("red", 3, 8), ("yellow", 2, 0), ("yellow", 2, 1199)]
)
def test_mark_lies_in_the_pile_of_its_column(
    page: Page, fake_gateway: FakeGateway, side: str, column: int, rank: int
) -> None:
    show_reveal(page, fake_gateway, [drop(column, rank, side)])
    expect(page.locator(".drop-mark")).to_have_count(1)
    assert page.evaluate(INSIDE_JS, [side, column])


@pytest.mark.parametrize("hidden", ["drops", "tally", "turnout"])
def test_display_marks_nothing_that_is_hidden(page: Page, fake_gateway: FakeGateway, hidden: str) -> None:
    show_reveal(page, fake_gateway, [drop(2, 0, "yellow")], hidden=(hidden,))
    page.wait_for_timeout(200)  # nothing should happen, so there is nothing to wait for
    expect(page.locator(".drop-mark")).to_have_count(0)


def test_mark_has_the_symbol_that_the_phone_shows(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open", window_s=90, pace="dramatic")
    display, phone = open_at(server, "drop-wall", PROJECTOR), open_at(server, "drop-phone", PHONE)
    display.page.goto(f"/display/{event['code']}")
    phone.page.goto(f"/{event['code']}")
    phone.wait_for(phase="lobby")
    server.ask("open_turn_now", event_id=event["id"])
    phone.wait_for(phase="voting")
    button = phone.page.get_by_role("button", name="Find my drop")
    expect(button).to_have_count(0)
    vote(phone, 4)
    phone.shoot("offered")
    button.click(timeout=TIMEOUT_MS)
    notice = phone.page.locator(".drop")
    expect(notice).to_contain_text("will mark your drop")
    phone.shoot("waiting")
    server.ask("close_after", event_id=event["id"], ms=300)
    symbol = display.page.locator(".drop-mark").text_content(timeout=TIMEOUT_MS)  # it is gone 2 s later
    expect(notice).to_have_text(f"Yours is drop 1 {symbol}")  # for the rest of the reveal
    display.shoot("marked")
    phone.shoot("found")
    assert phone.errors == display.errors == []
