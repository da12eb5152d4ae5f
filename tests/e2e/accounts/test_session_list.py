"""An organizer sees both sessions and ends the other one, whose open console closes at once."""

from playwright.sync_api import Browser, Page, expect

from tests.e2e.accounts.conftest import AccountPages


def test_ended_session_closes_its_console(
    window: Page, browser: Browser, account_pages: AccountPages
) -> None:
    account_pages.make_organizer("sara")
    code = account_pages.server.ask("event", owner="sara")["code"]
    with browser.new_context(user_agent="The other browser") as context:
        other = context.new_page()
        account_pages.log_in(other, "sara")
        expect(other.get_by_role("heading", name="My events")).to_be_visible()
        account_pages.open(other, f"/console/{code}/")
        expect(other.get_by_role("button", name="Open the lobby")).to_be_visible()
        account_pages.log_in(window, "sara")
        expect(window.get_by_role("heading", name="My events")).to_be_visible()
        account_pages.open(window, "/console/sessions/")
        expect(window.get_by_text("The other browser")).to_be_visible()
        window.get_by_role("button", name="End all other sessions").click()
        expect(window.get_by_text("The other browser")).to_have_count(0)
        expect(other.get_by_role("link", name="Log in")).to_be_visible()
