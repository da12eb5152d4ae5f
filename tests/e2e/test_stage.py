"""The stage: a cup of four in one tab, from join screen to podium, and an event with its report."""

from playwright.sync_api import FrameLocator, Page, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import PHONE, PROJECTOR, TABLET, TIMEOUT_MS, Screen
from tests.server import Server
from tests.voting.match_helpers import RED_WINS

TEAMS = ["4a", "4b", "The Owls of Riverside", "5b"]
# Whether anything is drawn on the page's canvas.
IS_DRAWN = """() => {
  const {width, height} = document.querySelector("canvas");
  const pen = document.querySelector("canvas").getContext("2d");
  return width > 0 && pen.getImageData(0, 0, width, height).data.some(Boolean);
}"""
REPORT_AFTER_MS, CELEBRATION_MS = 25_000, 60_000


def picture(wall: Page, kind: str) -> FrameLocator:
    """Wait until the stage shows a page of this kind, and no other."""
    expect(wall.locator(f"iframe.on.{kind}")).to_have_count(1, timeout=2 * TIMEOUT_MS)
    expect(wall.locator("iframe")).to_have_count(1, timeout=TIMEOUT_MS)
    return wall.frame_locator("iframe")


def expect_join_screen(wall: Page, code: str) -> None:
    shown = picture(wall, "display")
    expect(shown.locator("body")).to_have_attribute("data-phase", "lobby", timeout=TIMEOUT_MS)
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


def start_next(console: Screen, cup: str) -> str:
    """Start the next pairing in the cup's console; return its event's code."""
    console.page.goto(f"/console/cups/{cup}/")
    console.page.get_by_role("button", name="Start this pairing").click()
    expect(console.page.locator("[data-action]").first).to_be_visible(timeout=TIMEOUT_MS)
    return console.page.url.partition("?")[0].rstrip("/").rsplit("/", 1)[1]


def let_red_win(server: Server, wall: Page, code: str, winner: str) -> None:
    """Play the pairing's match, watch its end on the stage, and let the time of the celebration pass."""
    ((event_id,),) = server.rows("SELECT id FROM games_event WHERE code = ?", code)
    server.ask("play_to", event_id=event_id, picks=[list(pick) for pick in RED_WINS])
    expect(picture(wall, "display").locator(".end h1")).to_have_text(winner, timeout=2 * TIMEOUT_MS)
    server.ask("age_matches", event_id=event_id, ms=CELEBRATION_MS)


def test_stage_shows_cup_of_four_in_one_tab(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner="stage-owner")
    cup = server.ask("cup", event_id=event["id"], teams=TEAMS, won=[])
    console = open_at(server, "stage-console", TABLET)
    sign_in(console.page, server, "stage-owner")
    console.page.goto(f"/console/cups/{cup}/")
    with console.page.context.expect_page() as opened:
        console.page.get_by_role("link", name="Open big screen").click()
    wall = opened.value
    wall.set_viewport_size(PROJECTOR)
    expect(wall).to_have_url(f"{server.http}/stage/{cup}")
    _, first = pairing(server, cup, 1)
    expect_join_screen(wall, first)
    phone = open_at(server, "stage-phone", PHONE)
    phone.page.goto(f"/{first}/1")
    phone.wait_for(phase="lobby", team="1")
    wall.keyboard.press("f")
    expect(wall.locator(":root:fullscreen")).to_be_attached()
    let_red_win(server, wall, first, "4a")
    board = picture(wall, "board")
    expect(board.locator(".strip")).to_contain_text("Next: Semi-final 2")
    expect(board.get_by_text("Four in a row")).to_be_visible()
    wall.context.set_offline(True)
    wall.wait_for_timeout(4_000)
    expect(board.locator(".strip")).to_contain_text("Next: Semi-final 2")
    wall.context.set_offline(False)
    second = start_next(console, cup)
    expect_join_screen(wall, second)
    let_red_win(server, wall, second, "4b")
    expect(picture(wall, "board").locator(".strip")).to_contain_text("Next: Final")
    final = start_next(console, cup)
    expect_join_screen(wall, final)
    let_red_win(server, wall, final, "4a")
    podium = picture(wall, "podium")
    names = [podium.locator(f"[data-place='{place}'] bdi") for place in (1, 2, 3)]
    assert [name.all_inner_texts() for name in names] == [["4a"], ["4b"], ["5b", "The Owls of Riverside"]]
    expect(podium.get_by_role("img", name="QR code of the results")).to_be_visible()
    expect(podium.get_by_text("Report of the final")).to_be_visible()
    assert wall.evaluate("document.fullscreenElement !== null")
    assert wall.url == f"{server.http}/stage/{cup}"
    wall.screenshot(path=console.shots / "stage-podium.png")
    errors = [*console.errors, *phone.errors]
    assert [error for error in errors if "ERR_INTERNET_DISCONNECTED" not in error] == []


def test_podium_celebrates_the_winner(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner="podium-owner")
    cup = server.ask("cup", event_id=event["id"], teams=TEAMS, won=[1, 1])
    final, _ = pairing(server, cup, 3)
    server.ask("play_to", event_id=final, picks=[list(pick) for pick in RED_WINS])
    screen = open_at(server, "podium", PROJECTOR)
    screen.animate()
    wall = screen.page
    wall.goto(f"/stage/{cup}/podium")
    wall.wait_for_function(IS_DRAWN, timeout=TIMEOUT_MS)
    expect(wall.locator("[data-place='1'] .trophy")).to_be_visible()
    expect(wall.locator(".sea .depth")).to_be_visible()


def test_stage_of_event_offers_report_after_end(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner="stage-event", lobby="open")
    wall = open_at(server, "stage-event", PROJECTOR)
    wall.page.goto(f"/stage/{event['code'].lower()}")
    expect_join_screen(wall.page, event["code"])
    server.ask("play_to", event_id=event["id"], picks=[list(pick) for pick in RED_WINS])
    expect(picture(wall.page, "display").locator(".end h1")).to_have_text("Rooks", timeout=3 * TIMEOUT_MS)
    report = wall.page.locator(".report")
    expect(report).to_be_hidden()
    server.ask("age_matches", event_id=event["id"], ms=REPORT_AFTER_MS)
    expect(report).to_contain_text(f"/report/{event['code']}/1", timeout=TIMEOUT_MS)
    expect(report.get_by_role("img", name="QR code of the match report").locator("path")).to_be_visible()
    wall.shoot("report")
    server.ask("play_to", event_id=event["id"], picks=[])
    expect(report).to_be_hidden(timeout=TIMEOUT_MS)
    assert wall.errors == []


def test_stage_with_replaced_key_shows_nothing(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner="stage-key", lobby="open", admission="rotating")
    console = open_at(server, "stage-key", TABLET)
    sign_in(console.page, server, "stage-key")
    console.page.goto("/console/")
    console.page.get_by_role("link", name="Big screen").click()
    wall = console.page
    expect(picture(wall, "display").locator(".rotating-code b")).to_be_visible(timeout=TIMEOUT_MS)
    server.ask("renew_display_key", event_id=event["id"])
    expect(wall.get_by_text("This link is no longer valid.")).to_be_visible(timeout=TIMEOUT_MS)
    expect(wall.locator("iframe")).to_have_count(0)
