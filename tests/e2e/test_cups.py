import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from tests.e2e.page_checks import resize
from tests.e2e.screens import PHONE, PROJECTOR, TABLET, TIMEOUT_MS, OpenScreen, sign_in
from tests.e2e.scripts import page_script
from tests.server import Server
from tests.voting.match_helpers import RED_WINS

TEAMS = ["4a", "4b", "The Owls of Riverside", "5b"]
SHORT_TEAMS = ["4a", "4b", "5a", "5b", "6a", "6b", "Class 7a", "Owls"]
LONG_TEAMS = [f"{beast} of Riverside" for beast in ("The Owls", "Falcons", "Herons", "Lizards")]
LONG_TEAMS += ["Kindergartenfreunde1", "Wolverhampton Foxes", "Mathematics Club MMM"]
LONG_TEAMS += ["Old Server at the Mill"]
ESSENTIAL = ".cell bdi, .column h2, .strip :is(bdi, .label), .table th bdi, h1, .champion strong, .way p > *"
TURN_TO_JS = """shown => document.querySelectorAll(".sheet").forEach((sheet, number) =>
  sheet.classList.toggle("away", number !== shown))"""


def make_cup(server: Server, teams: list[str], won: tuple[int, ...] = (), kind: str = "knockout") -> str:
    event = server.ask("event")
    return str(server.ask("cup", event_id=event["id"], teams=teams, won=won, format=kind))


@pytest.mark.parametrize("teams", [SHORT_TEAMS, LONG_TEAMS], ids=["short", "long"])
@pytest.mark.parametrize("kind", ["knockout", "league"])
def test_cup_board_is_readable(server: Server, open_at: OpenScreen, teams: list[str], kind: str) -> None:
    page = open_at(PROJECTOR, f"/cup/{make_cup(server, teams, kind=kind)}").page
    for size in ((1280, 720), (1024, 768)):
        resize(page, *size)
        page.reload()
        expect(page.locator(".alive")).to_be_attached()
        for change in ("() => {}", page_script("short_address")):
            page.evaluate(change)
            for sheet in range(page.locator(".sheet").count()):
                page.evaluate(TURN_TO_JS, sheet)
                assert page.evaluate(page_script("small_or_cut"), ESSENTIAL) == []
                assert page.evaluate(page_script("outside")) == 0


def test_cup_board_works_without_javascript(server: Server, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{server.http}/cup/{make_cup(server, ['4a', '4b', '5a', '5b'])}")
        expect(page.get_by_text("Next: Semi-final 2, against 5a")).to_be_visible()
        expect(page.get_by_role("button")).to_have_count(0)


def picture(wall: Page, kind: str) -> FrameLocator:
    """Wait until the stage shows a page of this kind, and no other."""
    expect(wall.locator(f"iframe.on.{kind}")).to_have_count(1, timeout=2 * TIMEOUT_MS)
    expect(wall.locator("iframe")).to_have_count(1)
    return wall.frame_locator("iframe")


def expect_join_screen(wall: Page, code: str) -> None:
    shown = picture(wall, "display")
    expect(shown.locator("body")).to_have_attribute("data-phase", "lobby")
    expect(shown.locator(".qr").first).to_be_visible()
    assert wall.frames[-1].url.endswith(f"/display/{code}")


def pairing(server: Server, cup: str, number: int) -> tuple[int, str]:
    """The id and the code of the event of a cup's pairing."""
    ((event_id, code),) = server.rows(
        "SELECT event.id, event.code FROM games_event AS event "
        "JOIN cups_cuppairing AS pairing ON event_id = event.id JOIN cups_cup AS cup ON cup_id = cup.id "
        "WHERE cup.code = ? AND number = ?",
        cup,
        number,
    )
    return event_id, code


def test_stage_shows_cup_of_four_in_one_tab(server: Server, open_at: OpenScreen) -> None:
    cup = make_cup(server, TEAMS)
    console = open_at(TABLET)
    page = console.page
    sign_in(page, server, "olga")
    page.goto(f"/console/cups/{cup}/")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open big screen").click()
    wall = opened.value
    wall.set_viewport_size(PROJECTOR)
    expect(wall).to_have_url(f"{server.http}/stage/{cup}")
    open_at(PHONE, f"/{pairing(server, cup, 1)[1]}/1").wait_for(phase="lobby", team="1")
    wall.keyboard.press("f")
    expect(wall.locator(":root:fullscreen")).to_be_attached()
    for number, winner, following in ((1, "4a", "Semi-final 2"), (2, "4b", "Final"), (3, "4a", "")):
        if number > 1:
            page.goto(f"/console/cups/{cup}/")
            page.get_by_role("button", name="Start this pairing").click()
            expect(page.locator("[data-action]").first).to_be_visible()
        event_id, code = pairing(server, cup, number)
        expect_join_screen(wall, code)
        server.ask("play_to", event_id=event_id, picks=RED_WINS)
        ended = picture(wall, "display").locator(".end h1")
        expect(ended).to_have_text(winner, timeout=2 * TIMEOUT_MS)
        server.ask("age_matches", event_id=event_id, ms=60_000)
        if following:
            strip = picture(wall, "board").locator(".strip")
            expect(strip).to_contain_text(f"Next: {following}")
        if number == 1:
            expect(picture(wall, "board").get_by_text("Four in a row")).to_be_visible()
            wall.context.set_offline(True)
            wall.wait_for_timeout(4_000)
            expect(strip).to_contain_text("Next: Semi-final 2")
            wall.context.set_offline(False)
    podium = picture(wall, "podium")
    names = [podium.locator(f"[data-place='{place}'] bdi") for place in (1, 2, 3)]
    assert [name.all_inner_texts() for name in names] == [["4a"], ["4b"], ["5b", "The Owls of Riverside"]]
    expect(podium.get_by_role("img", name="QR code of the results")).to_be_visible()
    expect(podium.get_by_text("Report of the final")).to_be_visible()
    assert wall.evaluate("document.fullscreenElement !== null")
    assert wall.url == f"{server.http}/stage/{cup}"
    console.errors[:] = [one for one in console.errors if "ERR_INTERNET_DISCONNECTED" not in one]


def test_podium_celebrates_the_winner(server: Server, open_at: OpenScreen) -> None:
    cup = make_cup(server, TEAMS, won=(1, 1))
    server.ask("play_to", event_id=pairing(server, cup, 3)[0], picks=RED_WINS)
    screen = open_at(PROJECTOR)
    screen.animate()
    screen.page.goto(f"/stage/{cup}/podium")
    screen.page.wait_for_function(page_script("is_drawn"))
    expect(screen.page.locator("[data-place='1'] .trophy")).to_be_visible()
    expect(screen.page.locator(".sea .depth")).to_be_visible()


def test_stage_of_event_offers_report_after_end(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", lobby="open")
    wall = open_at(PROJECTOR, f"/stage/{event['code'].lower()}").page
    expect_join_screen(wall, event["code"])
    server.ask("play_to", event_id=event["id"], picks=RED_WINS)
    expect(picture(wall, "display").locator(".end h1")).to_have_text("Rooks", timeout=3 * TIMEOUT_MS)
    report = wall.locator(".report")
    expect(report).to_be_hidden()
    server.ask("age_matches", event_id=event["id"], ms=25_000)
    expect(report).to_contain_text(f"/report/{event['code']}/1")
    expect(report.get_by_role("img", name="QR code of the match report").locator("path")).to_be_visible()
    server.ask("play_to", event_id=event["id"], picks=[])
    expect(report).to_be_hidden()


def test_stage_with_replaced_key_shows_nothing(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner="stage-key", lobby="open", admission="rotating")
    screen = open_at(TABLET)
    wall = screen.page
    sign_in(wall, server, "stage-key")
    wall.goto("/console/")
    wall.get_by_role("link", name="Big screen").click()
    expect(picture(wall, "display").locator(".rotating-code b")).to_be_visible()
    server.ask("act", event_id=event["id"], action="display.renew")
    expect(wall.get_by_text("This link is no longer valid.")).to_be_visible()
    expect(wall.locator("iframe")).to_have_count(0)
    screen.errors.clear()  # of the refused requests
