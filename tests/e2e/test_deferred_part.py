"""Key presses and taps while the phone's deferred part is still loading."""

from functools import partial

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, Screen, tap, wait_until
from tests.server import Server

DEFERRED = "**/app/deferred.*"


@pytest.fixture
def phone(server: Server, open_at: OpenScreen) -> Screen:
    event = server.ask("event", lobby="open", window_s=90)
    server.ask("begin", event_id=event["id"])
    phone = open_at(PHONE, f"/{event['code']}")
    phone.wait_for(phase="voting")
    return phone


@pytest.fixture
def held(phone: Screen) -> list[Route]:
    """The phone's requests of the deferred part, which are not answered."""
    held: list[Route] = []
    phone.page.route(DEFERRED, partial(held.append))
    return held


@pytest.mark.parametrize(
    ("keys", "column"),
    [(["ArrowRight", "Enter"], "1"), (["ArrowRight", "ArrowRight", "Enter"], "2"), (["4", "Enter"], "4")],
    ids=["arrow", "arrows", "digit"],
)
def test_early_keys_are_applied_when_deferred_part_loads(
    phone: Screen, held: list[Route], keys: list[str], column: str
) -> None:
    for key in keys:
        phone.page.keyboard.press(key)
    wait_until(phone, partial(bool, held))
    expect(phone.page.locator("main")).not_to_have_attribute("data-status", "counted")
    (route,) = held
    route.continue_()
    expect(phone.page.locator("main")).to_have_attribute("data-status", "counted")
    expect(phone.page.locator(f'[data-column="{column}"]')).to_have_attribute("aria-pressed", "true")


def test_early_tap_hides_vote_when_deferred_part_loads(phone: Screen, held: list[Route]) -> None:
    hide = phone.page.locator('[data-do="hide"]')
    tap(hide)
    wait_until(phone, partial(bool, held))
    held[0].continue_()
    expect(hide).to_have_attribute("aria-pressed", "true")


def test_enter_alone_casts_no_vote(phone: Screen) -> None:
    with phone.page.expect_response(DEFERRED):
        phone.page.keyboard.press("Enter")
    phone.page.keyboard.press("ArrowRight")
    expect(phone.page.locator('[data-column="1"]')).to_be_focused()
    expect(phone.page.locator("main")).not_to_have_attribute("data-status", "counted")
