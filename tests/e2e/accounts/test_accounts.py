"""Organizers sign up, and log in with a passkey or through their school's OpenID Connect provider.

Browsers open the pages at localhost, where they offer passkeys without HTTPS.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from crowdgame.server.laptop.network import LOOPBACK, free_port, wait_for_http
from crowdgame.server.laptop.paths import ROOT
from tests.deploy.processes import wait_until
from tests.e2e.accounts import oidc_provider
from tests.e2e.accounts.oidc_provider import PASSWORD
from tests.e2e.page_visits import running_server_with_static
from tests.mailbox import Mailbox, running_mail_server
from tests.server import Server

IDENTITIES = "SELECT u.username FROM socialaccount_socialaccount s JOIN auth_user u ON u.id = s.user_id"
ADDRESSES = "SELECT u.username, e.email FROM account_emailaddress e JOIN auth_user u ON u.id = e.user_id"


@dataclass
class Accounts:
    """A stack that sends e-mail and trusts an OpenID Connect provider."""

    server: Server
    mailbox: Mailbox
    home: str
    provider: str


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Accounts]:
    smtp, port, provider = SimpleNamespace(), free_port(), f"http://{LOOPBACK}:{free_port()}"
    home = f"http://localhost:{port}"
    env = {"URL": provider, "NAME": "School", "TRUST_EMAIL": "true"}
    env |= {"CLIENT_ID": oidc_provider.CLIENT_ID, "CLIENT_SECRET": oidc_provider.CLIENT_SECRET}
    with running_mail_server(smtp) as mailbox, pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(f"OIDC_{name}", value)
        mail = f"smtp+plain://{LOOPBACK}:{smtp.EMAIL_PORT}"
        data = tmp_path_factory.mktemp("accounts")
        with running_server_with_static(data, port=port, public_url=home, email_url=mail) as server:
            yield Accounts(server, mailbox, home, provider)


@pytest.fixture(scope="module")
def provider(accounts: Accounts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the provider. It knows Nora, Mallory, and Ida without having verified her address."""
    url, callback = urlsplit(accounts.provider), f"{accounts.home}/console/oidc/oidc/login/callback/"
    arguments = [str(tmp_path_factory.mktemp("provider")), str(url.port), callback]
    process = subprocess.Popen([sys.executable, "-m", oidc_provider.__name__, *arguments], cwd=ROOT)
    try:
        assert wait_for_http(LOOPBACK, url.port or 0, 30)
        yield accounts.provider
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def page(browser: Browser, accounts: Accounts) -> Iterator[Page]:
    with browser.new_context(base_url=accounts.home) as context:
        yield context.new_page()


def log_in(page: Page, name: str) -> None:
    page.goto("/console/login/")
    page.get_by_label("Username or e-mail address").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", name="My events")).to_be_visible()


def sign_in_at_provider(page: Page, name: str) -> None:
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign In").click()


def confirm_password(page: Page) -> None:
    """Enter the password again, as before each change of the account."""
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()


def test_invited_organizer_signs_up_and_confirms_address(page: Page, accounts: Accounts) -> None:
    page.goto(accounts.server.ask("invite", name="Olga"))
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Email").fill("olga@example.org")
    page.get_by_label("Password").fill("12345678")
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_text("This password is too common.")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("heading", name="Verify Your Email Address")).to_be_visible()
    page.goto("/console/")
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    wait_until(lambda: "olga@example.org" in [mail["To"] for mail in accounts.mailbox.mails])
    text = accounts.mailbox.mails[-1].get_payload(decode=True)
    assert isinstance(text, bytes)
    [link] = re.findall(r"http://localhost\S+", text.decode())
    page.goto(link)
    page.get_by_role("button", name="Confirm").click()
    log_in(page, "olga@example.org")


@pytest.mark.nightly
def test_organizer_logs_in_with_passkey(page: Page, accounts: Accounts) -> None:
    accounts.server.ask("confirmed_organizer", name="petra", password=PASSWORD)
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    authenticator = {"protocol": "ctap2", "transport": "internal", "automaticPresenceSimulation": True}
    authenticator |= {"hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": authenticator})
    log_in(page, "petra")
    page.get_by_role("link", name="petra").click()
    page.get_by_role("link", name="Second factor").click()
    page.get_by_role("link", name="Add").click()
    confirm_password(page)
    page.get_by_label("Name").fill("Laptop")
    page.get_by_label("Passwordless").check()
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("Security key added.")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    page.goto("/console/login/")
    page.get_by_role("button", name="Log in with a passkey").click()
    expect(page.get_by_role("heading", name="My events")).to_be_visible()


@pytest.mark.nightly
def test_provider_logs_in_without_invitation(page: Page, provider: str) -> None:
    for is_signed_in in (False, True):
        page.goto("/console/login/")
        page.get_by_role("link", name="Log in with School").click()
        page.get_by_role("button", name="Continue").click()
        if not is_signed_in:
            sign_in_at_provider(page, "nora")
        expect(page.get_by_role("heading", name="My events")).to_be_visible()
        page.get_by_role("button", name="Log out").click()


@pytest.mark.nightly
def test_linked_identity_brings_no_unverified_address(page: Page, accounts: Accounts, provider: str) -> None:
    """Martin links an identity with Ida's unverified address. Ida keeps her address and her account."""
    for name in ("martin", "ida"):
        accounts.server.ask("confirmed_organizer", name=name, password=PASSWORD)
    log_in(page, "martin")
    page.goto("/console/oidc/oidc/login/?process=connect")
    page.get_by_role("button", name="Continue").click()
    sign_in_at_provider(page, "ida")
    confirm_password(page)
    page.wait_for_url("**/3rdparty/")
    assert ("martin",) in accounts.server.rows(IDENTITIES), "the identity was linked"
    addresses = accounts.server.rows(ADDRESSES)
    assert ("martin", "martin@example.org") in addresses
    assert [name for name, email in addresses if email == "ida@example.org"] == ["ida"]


@pytest.mark.nightly
def test_answer_or_code_of_another_login_is_refused(page: Page, browser: Browser, provider: str) -> None:
    """An answer logs nobody else in as the attacker, and a stolen code does not log in the thief (PKCE)."""
    own = intercept_answer(page, provider, "mallory")
    with browser.new_context(base_url=page.url) as context:
        other = context.new_page()
        other.goto(own)
        assert not is_logged_in(other)
        stolen = intercept_answer(other, provider, "nora")
    code, state = (parse_qs(urlsplit(answer).query) for answer in (stolen, own))
    query = urlencode({"code": code["code"][0], "state": state["state"][0]})
    page.goto(f"/console/oidc/oidc/login/callback/?{query}")
    assert not is_logged_in(page)
    page.goto(intercept_answer(page, provider))
    assert is_logged_in(page), "such an answer is valid in its own browser"


def is_logged_in(page: Page) -> bool:
    page.goto("/console/")
    return page.get_by_role("heading", level=1).inner_text() == "My events"


def intercept_answer(page: Page, provider: str, name: str = "") -> str:
    """Log in at the provider. Returns the URL of its answer, which the browser has not opened."""
    if name:
        page.goto(f"{provider}/accounts/login/")
        sign_in_at_provider(page, name)
        page.wait_for_url("**/accounts/profile/")
    page.goto("/console/login/")
    page.get_by_role("link", name="Log in with School").click()
    token = page.locator("main [name=csrfmiddlewaretoken]").input_value()
    form: dict[str, str | float | bool] = {"csrfmiddlewaretoken": token}
    http = page.context.request
    asked = http.post(page.url, form=form, headers={"Referer": page.url}, max_redirects=0)
    return http.get(asked.headers["location"], max_redirects=0).headers["location"]
