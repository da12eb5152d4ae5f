"""Voters agree to the consent text of their event once, before the first vote."""

from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, Screen, vote
from tests.server import Server

CONSENT = "We take pictures of the hall for the school's newspaper."


def open_phone(server: Server, open_at: OpenScreen, **choices: Any) -> tuple[Screen, str]:
    """An empty phone, and the path of an event with an open turn and a consent text."""
    event = server.ask("event", lobby="open", window_s=90, consent=CONSENT, **choices)
    server.ask("begin", event_id=event["id"])
    return open_at(PHONE), f"/{event['code']}"


@pytest.mark.parametrize("in_study", [False, True])
def test_consent_is_asked_once_before_voting(server: Server, open_at: OpenScreen, in_study: bool) -> None:
    phone, path = open_phone(server, open_at, in_study=in_study)
    dialog = phone.page.get_by_role("dialog")
    phone.page.goto(path)
    expect(dialog).to_contain_text(CONSENT)
    with phone.page.expect_popup() as opened:
        dialog.get_by_role("link", name="Privacy").click()
    expect(opened.value.locator("blockquote")).to_have_text(CONSENT)
    for _ in range(3):  # no consent
        phone.page.keyboard.press("Escape")
        expect(dialog).to_be_visible()
    phone.page.reload()
    dialog.get_by_role("button", name="I agree").click()
    expect(dialog).to_have_count(0)
    phone.wait_for(phase="voting")
    vote(phone, 3)
    phone.page.reload()
    expect(phone.page.locator('[data-column="3"][aria-pressed="true"]')).to_be_visible()
    expect(phone.page.locator(".corner .name").first).to_be_visible()
    expect(dialog).not_to_be_visible()


def test_voting_is_disabled_until_consent_is_shown(server: Server, open_at: OpenScreen) -> None:
    """The deferred part, which shows the text, is late; until then all columns are disabled."""
    phone, path = open_phone(server, open_at)
    held: list[Route] = []
    phone.page.route("**/app/deferred.*", partial(held.append))
    phone.page.goto(path)
    phone.wait_for(phase="voting")
    expect(phone.page.locator("[data-column]").first).to_be_visible()
    expect(phone.page.locator("[data-column]:enabled")).to_have_count(0)
    expect(phone.page.get_by_role("dialog")).to_have_count(0)
    (route,) = held
    route.continue_()
    expect(phone.page.get_by_role("dialog")).to_contain_text(CONSENT)
    expect(phone.page.locator("[data-column]:enabled")).to_have_count(7)
