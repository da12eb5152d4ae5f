"""Organizers log in through their school's OpenID Connect provider, a real one in another process."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from crowdgame.server.laptop.network import LOOPBACK
from tests.e2e.accounts.conftest import PASSWORD, AccountPages
from tests.e2e.accounts.oidc_provider import running_provider

PEOPLE = (
    "nora,nora@example.org,verified",
    "mallory,mallory@example.org,verified",
    "vera2,vera@example.org,verified",
    "ulla2,ulla@example.org,unverified",
    "ida2,ida@example.org,unverified",
)
IDENTITIES = "SELECT u.username FROM socialaccount_socialaccount s JOIN auth_user u ON u.id = s.user_id"
ADDRESSES = "SELECT u.username, e.email FROM account_emailaddress e JOIN auth_user u ON u.id = e.user_id"


@pytest.fixture(scope="module", autouse=True)
def provider(account_pages: AccountPages, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    redirect = f"{account_pages.home}/console/oidc/oidc/login/callback/"
    folder = tmp_path_factory.mktemp("provider")
    with running_provider(folder, account_pages.provider_port, redirect, PASSWORD, *PEOPLE):
        yield


def test_provider_logs_in_without_invitation(window: Page, account_pages: AccountPages) -> None:
    account_pages.log_in_by_provider(window, "nora")
    expect(window.get_by_role("heading", name="My events")).to_be_visible()
    account_pages.log_out(window)
    account_pages.open(window, "/console/login/")
    window.get_by_role("link", name="Log in with School").click()
    window.get_by_role("button", name="Continue").click()
    expect(window.get_by_role("heading", name="My events")).to_be_visible()


@pytest.mark.parametrize(("owner", "verified"), [("vera", True), ("ulla", False)])
def test_identity_gets_the_account_only_with_a_verified_address(
    owner: str, verified: bool, window: Page, account_pages: AccountPages
) -> None:
    account_pages.make_organizer(owner)
    account_pages.log_in_by_provider(window, f"{owner}2")
    window.wait_for_url(f"{account_pages.home}/**")
    assert is_logged_in(window, account_pages) == verified
    assert ((owner,) in account_pages.server.rows(IDENTITIES)) == verified


def test_linked_identity_brings_no_unverified_address(window: Page, account_pages: AccountPages) -> None:
    """Martin links an identity with Ida's unverified address. Ida keeps her address and her account."""
    for name in ("martin", "ida"):
        account_pages.make_organizer(name)
    account_pages.log_in(window, "martin")
    expect(window.get_by_role("heading", name="My events")).to_be_visible()
    account_pages.log_in_by_provider(window, "ida2", "/console/oidc/oidc/login/?process=connect")
    account_pages.confirm_password(window)
    window.wait_for_url("**/3rdparty/")
    assert ("martin",) in account_pages.server.rows(IDENTITIES), "the identity was linked"
    addresses = account_pages.server.rows(ADDRESSES)
    assert ("martin", "martin@example.org") in addresses
    assert [name for name, email in addresses if email == "ida@example.org"] == ["ida"]


def test_login_answered_in_another_browser_is_refused(
    window: Page, browser: Browser, account_pages: AccountPages
) -> None:
    """Login CSRF: an attacker's unused answer from the provider logs nobody else in as the attacker."""
    answer = intercept_answer(window, account_pages, "mallory")
    assert {"code", "state"} <= parse_qs(urlsplit(answer).query).keys()
    with browser.new_context() as context:
        other = context.new_page()
        other.goto(answer)
        assert not is_logged_in(other, account_pages)
    window.goto(answer)
    assert is_logged_in(window, account_pages), "the answer was valid"


def test_code_of_another_login_is_refused(
    window: Page, browser: Browser, account_pages: AccountPages
) -> None:
    """Code injection: a stolen code does not work in a login that the thief has begun (PKCE)."""
    own = parse_qs(urlsplit(intercept_answer(window, account_pages, "mallory")).query)
    with browser.new_context() as context:
        stolen = parse_qs(urlsplit(intercept_answer(context.new_page(), account_pages, "nora")).query)
    query = urlencode({"code": stolen["code"][0], "state": own["state"][0]})
    account_pages.open(window, f"/console/oidc/oidc/login/callback/?{query}")
    assert not is_logged_in(window, account_pages)


def is_logged_in(page: Page, account_pages: AccountPages) -> bool:
    account_pages.open(page, "/console/")
    heading = page.get_by_role("heading", level=1)
    return heading.inner_text() == "My events"


def intercept_answer(page: Page, account_pages: AccountPages, name: str) -> str:
    """Log in at the provider. Returns the URL of its answer, which the browser has not opened."""
    page.goto(f"http://{LOOPBACK}:{account_pages.provider_port}/accounts/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign In").click()
    page.wait_for_url("**/accounts/profile/")
    account_pages.open(page, "/console/login/")
    page.get_by_role("link", name="Log in with School").click()
    token = page.locator("main [name=csrfmiddlewaretoken]").input_value()
    form: dict[str, str | float | bool] = {"csrfmiddlewaretoken": token}
    http = page.context.request
    asked = http.post(page.url, form=form, headers={"Referer": page.url}, max_redirects=0)
    return http.get(asked.headers["location"], max_redirects=0).headers["location"]
