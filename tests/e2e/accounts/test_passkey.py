"""An organizer adds a passkey and logs in with it, without name and password."""

from playwright.sync_api import Page, expect

from tests.e2e.accounts.conftest import AccountPages

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def test_organizer_logs_in_with_passkey(window: Page, account_pages: AccountPages) -> None:
    account_pages.make_organizer("petra")
    chromium = window.context.new_cdp_session(window)
    chromium.send("WebAuthn.enable")
    chromium.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    account_pages.log_in(window, "petra")
    window.get_by_role("link", name="petra").click()
    window.get_by_role("link", name="Second factor").click()
    window.get_by_role("link", name="Add").click()
    account_pages.confirm_password(window)
    window.get_by_label("Name").fill("Laptop")
    window.get_by_label("Passwordless").check()
    window.get_by_role("button", name="Add").click()
    expect(window.get_by_text("Security key added.")).to_be_visible()
    account_pages.log_out(window)
    account_pages.open(window, "/console/login/")
    window.get_by_role("button", name="Log in with a passkey").click()
    expect(window.get_by_role("heading", name="My events")).to_be_visible()
