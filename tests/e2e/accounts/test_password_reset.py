"""An organizer who has forgotten the password chooses a new one by a link in an e-mail."""

from playwright.sync_api import Page, expect

from tests.e2e.accounts.conftest import NEW_PASSWORD, AccountPages


def test_forgotten_password_is_reset_by_mail(window: Page, account_pages: AccountPages) -> None:
    account_pages.make_organizer("rita")
    account_pages.log_in(window, "rita", "a guess")
    expect(window.get_by_text("Wrong name or password.")).to_be_visible()
    window.get_by_role("link", name="Forgot your password?").click()
    window.get_by_label("Email").fill("rita@example.org")
    window.get_by_role("button", name="Send the link").click()
    link = account_pages.mailbox.link("rita@example.org")
    window.goto(link)
    window.get_by_label("New Password", exact=False).first.fill(NEW_PASSWORD)
    window.get_by_label("New Password (again)").fill(NEW_PASSWORD)
    window.get_by_role("button", name="Change Password").click()
    window.goto(link)
    expect(window.get_by_text("it has already been used")).to_be_visible()
    account_pages.log_in(window, "rita", NEW_PASSWORD)
    expect(window.get_by_role("heading", name="My events")).to_be_visible()
