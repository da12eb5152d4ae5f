"""An organizer sets up an authenticator app, and without the phone logs in with a recovery code."""

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from playwright.sync_api import Page, expect

from tests.e2e.accounts.conftest import AccountPages


def code_of(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time()))))


def test_second_factor_with_recovery_code(window: Page, account_pages: AccountPages) -> None:
    account_pages.make_organizer("tina")
    account_pages.log_in(window, "tina")
    expect(window.get_by_role("heading", name="My events")).to_be_visible()
    account_pages.open(window, "/console/2fa/totp/activate/")
    account_pages.confirm_password(window)
    window.emulate_media(color_scheme="dark")
    qr_code = window.get_by_role("img")
    expect(qr_code).to_have_css("background-color", "rgb(255, 255, 255)")
    secret = window.get_by_label("Authenticator secret").input_value()
    window.get_by_label("Authenticator code").fill(code_of(secret))
    window.get_by_role("button", name="Activate").click()
    account_pages.open(window, "/console/2fa/recovery-codes/")
    codes = window.get_by_label("Unused codes").input_value().split()
    account_pages.log_out(window)

    account_pages.log_in(window, "tina")
    account_pages.open(window, "/console/")
    expect(window.get_by_role("heading", name="Two-Factor Authentication")).to_be_visible()
    enter_code(window, codes[0])
    expect(window.get_by_role("heading", name="My events")).to_be_visible()
    account_pages.log_out(window)

    account_pages.log_in(window, "tina")
    enter_code(window, codes[0])
    expect(window.get_by_text("Incorrect code.")).to_be_visible()
    enter_code(window, codes[1])
    expect(window.get_by_role("heading", name="My events")).to_be_visible()


def enter_code(page: Page, code: str) -> None:
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Sign In").click()
