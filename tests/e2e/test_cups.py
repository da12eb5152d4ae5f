"""The pages of a cup: a phone finds its pairing, and the board is readable."""

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import PHONE, PROJECTOR, TABLET, TIMEOUT_MS
from tests.server import Server

SHORT_TEAMS = ["4a", "4b", "5a", "5b", "6a", "6b", "Class 7a", "Owls"]
LONG_TEAMS = [f"{beast} of Riverside" for beast in ("The Owls", "Falcons", "Herons", "Lizards")]
LONG_TEAMS += [
    "Kindergartenfreunde1",
    "Wolverhampton Foxes",
    "Mathematics Club MMM",
    "Old Server at the Mill",
]
OLD_SCREEN: ViewportSize = {"width": 1024, "height": 768}
LARGE_SCREEN: ViewportSize = {"width": 1920, "height": 1080}
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


@pytest.mark.nightly
def test_phone_finds_the_pairing_of_its_team(server: Server, open_at: OpenScreen) -> None:
    room, phone = open_at(server, "cup-console", TABLET), open_at(server, "cup-phone", PHONE)
    sign_in(room.page, server, "cup-owner")
    room.page.goto("/console/")
    room.page.get_by_role("link", name="New cup").click()
    room.page.get_by_label("Cup name").fill("Spring cup")
    room.page.get_by_label("Teams, one per line").fill("4a\n4b\nThe Owls of Riverside\n5b")
    room.page.locator("[name=format][value=knockout]").check()
    room.page.get_by_role("button", name="Create cup").click()
    expect(room.page.get_by_role("button", name="Start this pairing")).to_be_visible()
    code = room.page.url.rstrip("/").rsplit("/", 1)[1]
    phone.page.goto(f"/cup/{code.lower()}")
    phone.page.locator("[data-team='1']").get_by_role("button", name="Our team").click()
    expect(phone.page.locator("[data-team='2']")).to_be_hidden()
    room.page.get_by_role("button", name="Start this pairing").click()
    expect(room.page.locator("[data-action]").first).to_be_visible(timeout=TIMEOUT_MS)
    phone.page.reload()
    phone.page.get_by_role("link", name="Play for 4a").click()
    phone.wait_for(phase="lobby", team="1")
    assert room.errors == phone.errors == []


@pytest.mark.parametrize(
    "size",
    [OLD_SCREEN, *(pytest.param(size, marks=pytest.mark.nightly) for size in (PROJECTOR, LARGE_SCREEN))],
    ids=str,
)
@pytest.mark.parametrize("teams", [SHORT_TEAMS, LONG_TEAMS], ids=["short", "long"])
@pytest.mark.parametrize("kind", ["knockout", "league"])
def test_cup_board_is_readable_at_all_sizes(
    server: Server, open_at: OpenScreen, size: ViewportSize, teams: list[str], kind: str
) -> None:
    event = server.ask("event", owner="cup-owner")
    code = server.ask("cup", event_id=event["id"], teams=teams, won=[], format=kind)
    board = open_at(server, f"cup-board-{size['width']}", size)
    board.page.goto(f"/cup/{code}")
    expect(board.page.locator(".alive")).to_be_attached()
    for sheet in range(board.page.locator(".sheet").count()):
        board.page.evaluate(TURN_TO, sheet)
        assert board.page.evaluate(SMALL_OR_CUT, ESSENTIAL) == []
        assert board.page.evaluate(OUTSIDE) == 0
    board.shoot(f"{kind}-{len(teams)}")
    board.page.evaluate(SHORT_ADDRESS)
    assert board.page.evaluate(SMALL_OR_CUT, ESSENTIAL) == []
    assert board.page.evaluate(OUTSIDE) == 0
    board.shoot(f"{kind}-{len(teams)}-short-address")


def test_cup_page_works_without_javascript(server: Server, browser: Browser) -> None:
    event = server.ask("event", owner="cup-owner")
    code = server.ask("cup", event_id=event["id"], teams=["4a", "4b", "5a", "5b"], won=[])
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{server.http}/cup/{code}")
        expect(page.get_by_text("Next: Semi-final 2, against 5a")).to_be_visible()
        expect(page.get_by_role("button")).to_have_count(0)
