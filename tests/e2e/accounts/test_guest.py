"""A guest creates an account, continues a game elsewhere, protects the account and deletes it."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.e2e.accounts.conftest import NEW_PASSWORD, PASSWORD, AccountPages


def log_in(page: Page, pages: AccountPages, name: str, password: str) -> None:
    pages.open(page, "/play/login")
    page.get_by_label("Name or e-mail address").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def test_guest_account_from_creation_to_deletion(
    window: Page, browser: Browser, account_pages: AccountPages
) -> None:
    account_pages.open(window, "/play/")
    window.get_by_role("button", name=re.compile("New game|Start")).first.click()
    expect(window).to_have_url(re.compile(r"/\w{6}$"))
    account_pages.open(window, "/play/account")
    window.get_by_label("Name").fill("Ada Lovelace")
    window.get_by_label("Password").fill(PASSWORD)
    window.get_by_role("button", name="Create account").click()
    expect(window.get_by_role("status")).to_contain_text("Log in as Ada Lovelace on your other devices")

    with browser.new_context(user_agent="The other browser") as context:
        other = context.new_page()
        log_in(other, account_pages, "ada lovelace", PASSWORD)
        expect(other.get_by_role("heading", name="Your games")).to_be_visible()
        account_pages.open(window, "/console/sessions/")
        expect(window.get_by_text("The other browser")).to_be_visible()
        account_pages.open(window, "/console/password/change/")
        window.get_by_label("Current Password").fill(PASSWORD)
        for field in window.get_by_label("New Password").all():
            field.fill(NEW_PASSWORD)
        window.get_by_role("button", name="Change Password").click()
        other.reload()
        expect(other.get_by_role("link", name="Log in")).to_be_visible()

    window.get_by_role("link", name="Ada Lovelace").click()
    window.get_by_role("link", name="Download or delete my data").click()
    window.get_by_label("This cannot be undone").check()
    window.get_by_role("button", name="Delete permanently").click()
    window.get_by_label("Password").fill(NEW_PASSWORD)
    window.get_by_role("button", name="Confirm").click()
    expect(window.get_by_text("Your data is deleted.")).to_be_visible()
    log_in(window, account_pages, "Ada Lovelace", NEW_PASSWORD)
    expect(window.get_by_role("alert")).to_contain_text("Wrong name or password")
