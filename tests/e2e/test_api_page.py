"""Operations are tried on the page of the API, with a token."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e import axe
from tests.e2e.conftest import OpenScreen
from tests.server import Server

pytestmark = pytest.mark.nightly


@pytest.fixture
def page(server: Server, open_at: OpenScreen) -> Page:
    page = open_at(server, "api", {"width": 320, "height": 640}).page
    page.goto(f"{server.http}/api/v1/")
    return page


def operation_of(page: Page, operation: str) -> Locator:
    return page.locator(f'[id="{operation}"]')


def send(page: Page, operation: str, **fields: str) -> None:
    shown = operation_of(page, operation)
    shown.locator("summary").click()
    for name, value in fields.items():
        shown.get_by_label(name, exact=True).fill(value)
    shown.get_by_role("button", name="Send").click()


def test_operation_is_sent_with_the_token_and_its_arguments(server: Server, page: Page) -> None:
    code = server.ask("event", owner="olga", name="An evening")["code"]
    page.get_by_label("API token").fill(server.ask("api_token", name="olga", scopes=["read", "run"]))
    send(page, "match.start", code=code, JSON="{}")
    expect(operation_of(page, "match.start").locator("pre")).to_contain_text("200 OK")
    send(page, "listMatches", code=code)
    expect(operation_of(page, "listMatches").locator("pre")).to_contain_text('"state": "playing"')
    assert not axe.check(page, "api")


def test_request_without_a_token_is_not_signed_in_by_the_session(server: Server, page: Page) -> None:
    name, value = server.ask("session", name="olga").split("=")
    page.context.add_cookies([{"name": name, "value": value, "url": server.http}])
    send(page, "listEvents")
    expect(operation_of(page, "listEvents").locator("pre")).to_contain_text("401")
