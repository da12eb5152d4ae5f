"""The consent text of a study is shown once, before the first vote."""

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, TIMEOUT_MS, vote
from tests.server import Server

CONSENT = "Your votes, without your name, go into a study."


@pytest.mark.parametrize("by", ["key", "press"])
def test_consent_is_shown_once_before_voting(one_gateway: Server, open_at: OpenScreen, by: str) -> None:
    event = one_gateway.ask("event", lobby="open", window_s=90, consent=CONSENT)
    one_gateway.ask("begin", event_id=event["id"])
    phone = open_at(one_gateway, "study", PHONE)
    dialog = phone.page.get_by_role("dialog")
    phone.page.goto(f"/{event['code']}")
    expect(dialog).to_contain_text(CONSENT, timeout=TIMEOUT_MS)
    if by == "key":
        phone.page.keyboard.press("Escape")
    else:
        dialog.get_by_role("button").click()
    expect(dialog).to_have_count(0)
    phone.wait_for(phase="voting")
    vote(phone, 3)
    phone.page.reload()
    own = phone.page.locator('[data-column="3"][aria-pressed="true"]')
    expect(own).to_be_visible(timeout=TIMEOUT_MS)
    expect(phone.page.locator(".corner .name").first).to_be_visible(timeout=TIMEOUT_MS)
    expect(dialog).not_to_be_visible()
    assert phone.errors == []


def test_voting_is_disabled_until_consent_is_shown(one_gateway: Server, open_at: OpenScreen) -> None:
    """The deferred part, which shows the text, is late; until then all columns are disabled."""
    event = one_gateway.ask("event", lobby="open", window_s=90, consent=CONSENT)
    one_gateway.ask("begin", event_id=event["id"])
    phone = open_at(one_gateway, "study-late", PHONE)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    phone.page.route("**/app/deferred.*", hold)
    phone.page.goto(f"/{event['code']}")
    phone.wait_for(phase="voting")
    expect(phone.page.locator("[data-column]").first).to_be_visible()
    expect(phone.page.locator("[data-column]:enabled")).to_have_count(0)
    expect(phone.page.get_by_role("dialog")).to_have_count(0)
    for route in held:
        route.continue_()
    expect(phone.page.get_by_role("dialog")).to_contain_text(CONSENT, timeout=TIMEOUT_MS)
    expect(phone.page.locator("[data-column]:enabled")).to_have_count(7)
    assert len(held) == 1
