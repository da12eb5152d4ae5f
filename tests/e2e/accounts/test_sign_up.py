"""An invited person signs up, confirms the e-mail address, and logs in."""

import re

from playwright.sync_api import Page, expect

from tests.deploy.processes import wait_until
from tests.e2e.accounts.conftest import PASSWORD, AccountPages


def test_invited_organizer_signs_up_and_confirms_address(window: Page, account_pages: AccountPages) -> None:
    account_pages.open(window, account_pages.server.ask("invite", name="Olga"))
    window.get_by_label("Username").fill("olga")
    window.get_by_label("Email").fill("olga@example.org")
    window.get_by_label("Password").fill("12345678")
    window.get_by_role("button", name="Sign up").click()
    expect(window.get_by_text("This password is too common.")).to_be_visible()
    window.get_by_label("Password").fill(PASSWORD)
    window.get_by_role("button", name="Sign up").click()
    expect(window.get_by_role("heading", name="Verify Your Email Address")).to_be_visible()
    account_pages.open(window, "/console/")
    expect(window.get_by_role("heading", name="Log in")).to_be_visible()
    mails = account_pages.mailbox.mails
    wait_until(lambda: "olga@example.org" in [mail["To"] for mail in mails])
    text = next(mail for mail in mails if mail["To"] == "olga@example.org").get_payload(decode=True)
    assert isinstance(text, bytes)
    [link] = re.findall(r"http://localhost\S+", text.decode())
    window.goto(link)
    window.get_by_role("button", name="Confirm").click()
    account_pages.log_in(window, "olga@example.org")
    expect(window.get_by_role("link", name="Empty")).to_be_visible()
