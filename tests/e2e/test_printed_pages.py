"""Pages on paper: a print button on the screen, and neither buttons nor navigation on paper."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import PAGES, visit
from tests.e2e.screens import TABLET
from tests.server import Server

PRINTED = ("report", "rules", "about", "privacy")


@pytest.mark.parametrize("name", PRINTED)
def test_page_has_print_button_and_no_navigation_on_paper(
    server: Server, open_at: OpenScreen, name: str
) -> None:
    page = open_at(server, f"paper-{name}", TABLET).page
    page.add_init_script("window.print = () => { document.title = 'Printed'; }")
    visit(next(visited for visited in PAGES if visited.name == name), page, server)
    page.get_by_role("button", name="Print").click()
    expect(page).to_have_title("Printed")
    page.emulate_media(media="print")
    expect(page.get_by_role("main")).to_be_visible()
    for role in ("banner", "contentinfo", "navigation", "button", "slider"):
        expect(page.get_by_role(role)).to_have_count(0)
    assert page.pdf(format="A4").startswith(b"%PDF")
