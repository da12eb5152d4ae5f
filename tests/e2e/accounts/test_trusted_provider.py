"""A provider that is trusted with e-mail addresses (OIDC_TRUST_EMAIL), a real one in another process."""

from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accounts.conftest import PASSWORD, AccountPages, MailingStack, running_account_pages
from tests.e2e.accounts.oidc_provider import running_provider

PEOPLE = (
    "vera2,vera@example.org,verified",
    "ulla2,ulla@example.org,unverified",
    "ida2,ida@example.org,unverified",
)
ADDRESSES = "SELECT u.username, e.email FROM account_emailaddress e JOIN auth_user u ON u.id = e.user_id"
IDENTITIES = "SELECT u.username FROM socialaccount_socialaccount s JOIN auth_user u ON u.id = s.user_id"


class TrustingStack(MailingStack):
    @property
    def env(self) -> Mapping[str, str]:
        return {**super().env, "OIDC_TRUST_EMAIL": "true"}


@pytest.fixture(scope="module")
def trusting_pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AccountPages]:
    with running_account_pages(tmp_path_factory.mktemp("trusting"), TrustingStack) as pages:
        stack = pages.server.stack
        assert isinstance(stack, TrustingStack)
        redirect = f"{pages.home}/console/oidc/oidc/login/callback/"
        folder = tmp_path_factory.mktemp("provider")
        with running_provider(folder, stack.provider_port, redirect, PASSWORD, *PEOPLE):
            yield pages


@pytest.mark.parametrize(("victim", "heading"), [("vera", "My events"), ("ulla", "")])
def test_identity_gets_the_account_only_with_a_verified_address(
    victim: str, heading: str, window: Page, trusting_pages: AccountPages
) -> None:
    trusting_pages.make_organizer(victim)
    trusting_pages.log_in_by_provider(window, f"{victim}2")
    window.wait_for_url(f"{trusting_pages.home}/**")
    assert ((victim,) in trusting_pages.server.rows(IDENTITIES)) == bool(heading)
    trusting_pages.open(window, "/console/")
    assert (window.get_by_role("heading", level=1).inner_text() == "My events") == bool(heading)


def test_linked_identity_brings_no_unverified_address(window: Page, trusting_pages: AccountPages) -> None:
    """Mallory links an identity with Ida's unverified address. Ida keeps her address and her account."""
    for name in ("mallory", "ida"):
        trusting_pages.make_organizer(name)
    trusting_pages.log_in(window, "mallory")
    expect(window.get_by_role("heading", name="My events")).to_be_visible()
    trusting_pages.open(window, "/console/oidc/oidc/login/?process=connect")
    window.get_by_role("button", name="Continue").click()
    window.get_by_label("Username").fill("ida2")
    window.get_by_label("Password").fill(PASSWORD)
    window.get_by_role("button", name="Sign In").click()
    trusting_pages.confirm_password(window)
    window.wait_for_url("**/3rdparty/")
    rows = trusting_pages.server.rows
    assert ("mallory",) in rows(IDENTITIES), "the identity was linked"
    addresses = rows(ADDRESSES)
    assert ("mallory", "mallory@example.org") in addresses
    assert [name for name, email in addresses if email == "ida@example.org"] == ["ida"]
