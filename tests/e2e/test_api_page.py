"""Operations are tried on the page of the API, with a token; a session alone does not log in."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e import axe
from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import SMALL_PHONE
from tests.server import Server


def send(page: Page, operation: str, **fields: str) -> Locator:
    """Send a request; return the answer on the page."""
    shown = page.locator(f'[id="{operation}"]')
    shown.locator("summary").click()
    for name, value in fields.items():
        shown.get_by_label(name, exact=True).fill(value)
    shown.get_by_role("button", name="Send").click()
    return shown.locator("pre")


@pytest.mark.nightly
def test_operation_is_sent_with_the_token_and_its_arguments(server: Server, open_at: OpenScreen) -> None:
    screen = open_at(SMALL_PHONE)
    page = screen.page
    sign_in(page, server, "olga")
    page.goto("/api/v1/")
    code = server.ask("event", owner="olga", name="An evening")["code"]
    expect(send(page, "listEvents")).to_contain_text("401")
    screen.errors.clear()
    page.get_by_label("API token").fill(server.ask("api_token", name="olga", scopes=["read", "run"]))
    expect(send(page, "match.start", code=code, JSON="{}")).to_contain_text("200 OK")
    expect(send(page, "listMatches", code=code)).to_contain_text('"state": "playing"')
    assert not axe.check(page, "api")
