"""What is pressed on a keyboard while the phone's second part is still on its way."""

from functools import partial

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.conftest import OpenFace
from tests.e2e.faces import PHONE, SOON_MS, Face, wait_until
from tests.stack import House

LATER = "**/app/deferred.*"


@pytest.fixture
def phone(one_gateway: House, open_at: OpenFace) -> Face:
    event = one_gateway.ask("event", lobby="open", window_s=90)
    one_gateway.ask("begin", event_id=event["id"])
    face = open_at(one_gateway, "second-part", PHONE)
    face.page.goto(f"/{event['code']}")
    return face


@pytest.mark.parametrize(
    ("keys", "column"),
    [(["ArrowRight", "Enter"], "1"), (["ArrowRight", "ArrowRight", "Enter"], "2"), (["4", "Enter"], "4")],
    ids=["arrow", "arrows", "digit"],
)
def test_keys_that_come_before_it_are_obeyed_with_it(phone: Face, keys: list[str], column: str) -> None:
    held: list[Route] = []
    phone.page.route(LATER, partial(held.append))
    phone.wait_for(phase="voting")
    for key in keys:
        phone.page.keyboard.press(key)
    wait_until(phone, partial(bool, held))
    expect(phone.page.locator("main")).not_to_have_attribute("data-status", "counted")
    (route,) = held
    route.continue_()
    expect(phone.page.locator("main")).to_have_attribute("data-status", "counted", timeout=SOON_MS)
    expect(phone.page.locator(f'[data-column="{column}"]')).to_have_attribute("aria-pressed", "true")
    assert phone.errors == []


def test_enter_alone_votes_for_nothing(phone: Face) -> None:
    phone.wait_for(phase="voting")
    with phone.page.expect_response(LATER):
        phone.page.keyboard.press("Enter")
    phone.page.keyboard.press("ArrowRight")
    expect(phone.page.locator('[data-column="1"]')).to_be_focused()
    expect(phone.page.locator("main")).not_to_have_attribute("data-status", "counted")
