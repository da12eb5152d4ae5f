"""The pages of a cup: a phone finds its pairing, and the board is readable."""

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import OLD_PROJECTOR, PROJECTOR
from tests.server import Server

SHORT_TEAMS = ["4a", "4b", "5a", "5b", "6a", "6b", "Class 7a", "Owls"]
LONG_TEAMS = [f"{beast} of Riverside" for beast in ("The Owls", "Falcons", "Herons", "Lizards")]
LONG_TEAMS += ["Kindergartenfreunde1", "Wolverhampton Foxes", "Mathematics Club MMM"]
LONG_TEAMS += ["Old Server at the Mill"]
ESSENTIAL = (
    ".cell bdi, .column h2, .strip bdi, .strip .label, .table th bdi, h1, .champion strong, .way p > *"
)
SMALL_OR_CUT = """essential => [...document.querySelectorAll(essential)]
  .filter(part => part.checkVisibility())
  .filter(part => parseFloat(getComputedStyle(part).fontSize) < 0.0499 * innerHeight
    || part.clientWidth > 0 && (part.scrollWidth > part.clientWidth + 1
      || part.scrollHeight > part.clientHeight + 3))
  .map(part => part.textContent)"""
OUTSIDE = """() => [".cell .card", ".strip", ".way p", ".qr", ".sheet.champion", ".sheet tr"]
  .flatMap(shown => [...document.querySelectorAll(shown)])
  .filter(part => part.checkVisibility())
  .map(part => part.getBoundingClientRect())
  .filter(({left, top, right, bottom}) => left < 0 || top < 0 || right > innerWidth || bottom > innerHeight)
  .length"""
SHORT_ADDRESS = """() => {
  document.querySelector(".way p").className = "";
  document.querySelector(".way strong").innerHTML = "play.school.at<wbr>/cup/HJ7KM";
}"""
TURN_TO = """shown => document.querySelectorAll(".sheet").forEach((sheet, number) =>
  sheet.classList.toggle("away", number !== shown))"""


def make_cup(server: Server, teams: list[str], kind: str = "knockout") -> str:
    event = server.ask("event", owner="cup-owner")
    return f"/cup/{server.ask('cup', event_id=event['id'], teams=teams, won=[], format=kind)}"


@pytest.mark.parametrize("size", [OLD_PROJECTOR, PROJECTOR], ids=str)
@pytest.mark.parametrize("teams", [SHORT_TEAMS, LONG_TEAMS], ids=["short", "long"])
@pytest.mark.parametrize("kind", ["knockout", "league"])
def test_cup_board_is_readable_at_all_sizes(
    server: Server, open_at: OpenScreen, size: ViewportSize, teams: list[str], kind: str
) -> None:
    page = open_at(size, make_cup(server, teams, kind)).page
    expect(page.locator(".alive")).to_be_attached()
    for change in ("() => {}", SHORT_ADDRESS):
        page.evaluate(change)
        for sheet in range(page.locator(".sheet").count()):
            page.evaluate(TURN_TO, sheet)
            assert page.evaluate(SMALL_OR_CUT, ESSENTIAL) == []
            assert page.evaluate(OUTSIDE) == 0


def test_cup_board_works_without_javascript(server: Server, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(server.http + make_cup(server, ["4a", "4b", "5a", "5b"]))
        expect(page.get_by_text("Next: Semi-final 2, against 5a")).to_be_visible()
        expect(page.get_by_role("button")).to_have_count(0)
