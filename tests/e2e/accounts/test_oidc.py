"""Organizers log in through their school's OpenID Connect provider, a real one in another process."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accounts.conftest import PASSWORD, AccountPages, MailingStack
from tests.e2e.accounts.oidc_provider import running_provider

PEOPLE = ("nora,nora@example.org,verified", "mallory,victim@example.org,verified")


@pytest.fixture(scope="module", autouse=True)
def provider(account_pages: AccountPages, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    stack = account_pages.server.stack
    assert isinstance(stack, MailingStack)
    redirect = f"{account_pages.home}/console/oidc/oidc/login/callback/"
    folder = tmp_path_factory.mktemp("provider")
    with running_provider(folder, stack.provider_port, redirect, PASSWORD, *PEOPLE):
        yield


def test_provider_logs_in_without_invitation(window: Page, account_pages: AccountPages) -> None:
    account_pages.log_in_by_provider(window, "nora")
    expect(window.get_by_role("heading", name="My events")).to_be_visible()
    account_pages.log_out(window)
    account_pages.open(window, "/console/login/")
    window.get_by_role("link", name="Log in with School").click()
    window.get_by_role("button", name="Continue").click()
    expect(window.get_by_role("heading", name="My events")).to_be_visible()


def test_identity_with_the_address_of_another_account_does_not_take_it_over(
    window: Page, account_pages: AccountPages
) -> None:
    account_pages.make_organizer("victim")
    account_pages.log_in_by_provider(window, "mallory")
    expect(window.get_by_role("heading", name="My events")).to_have_count(0)
    account_pages.open(window, "/console/")
    expect(window.get_by_role("heading", name="Log in")).to_be_visible()


def test_login_answered_in_another_browser_is_refused(window: Page, account_pages: AccountPages) -> None:
    """Login CSRF: somebody else's answer from the provider, with its state, logs nobody in."""
    asked: list[str] = []
    window.on("request", lambda request: asked.append(request.url))
    account_pages.open(window, "/console/login/")
    window.get_by_role("link", name="Log in with School").click()
    window.get_by_role("button", name="Continue").click()
    window.wait_for_load_state()
    [query] = [parse_qs(urlsplit(url).query) for url in asked if "/identity/o/authorize" in url][:1]
    assert {"state", "code_challenge"} <= query.keys()
    window.context.clear_cookies()
    account_pages.open(window, f"/console/oidc/oidc/login/callback/?code=stolen&state={query['state'][0]}")
    account_pages.open(window, "/console/")
    expect(window.get_by_role("heading", name="Log in")).to_be_visible()
