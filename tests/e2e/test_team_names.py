import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.page_checks import resize
from tests.e2e.page_visits import PAGES, visit, with_cup
from tests.e2e.scene_setup import MIDDLE, Scene, State, find_scene, in_language, show_scene
from tests.e2e.scenes import DISPLAY_SCENES, PHONE_SCENES
from tests.e2e.scripts import page_script
from tests.e2e.test_scenes import LANGUAGES
from tests.server import Server
from voting.protocol import BoxFigures, EventState, TurnoutCounted

PAIRS = json.loads((Path(__file__).parent / "name_pairs.json").read_text())
OF_EACH_SCRIPT = (PAIRS[2], PAIRS[4], PAIRS[9], PAIRS[6])
LONG_WORDS = ["Donaudampfschifffahrtsgesellschaftskapit", "Rindfleischetikettierungsueberwachungsge"]
SMALLEST_PHONE, PROJECTORS = (320, 568), ((1024, 768), (1920, 1080))
SCREENS = [("phone", name, SMALLEST_PHONE) for name in ("voting", "closed")]
for display_scene in ("lobby", "lobby-team-links", "voting", "closed", "reveal-conflict-picks"):
    SCREENS += [("display", display_scene, size) for size in PROJECTORS]
READ_SHORT_NAMES_JS = """() => Object.fromEntries([...document.querySelectorAll(".sheet bdi[title]")]
  .map((name) => [name.title, name.textContent]))"""
pytestmark = pytest.mark.nightly


def named(state: State, pair: tuple[str, str]) -> State:
    def changed(now: int) -> EventState:
        event = state(now)
        teams = zip(event.teams, pair, strict=True)
        one, two = (msgspec.structs.replace(team, name=name) for team, name in teams)
        return msgspec.structs.replace(event, teams=(one, two))

    return changed


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
@pytest.mark.parametrize("shown", SCREENS, ids=str)
def test_screen_shows_what_differs(
    fake_gateway: FakeGateway, window: Page, shown: tuple[str, str, tuple[int, int]], language: str
) -> None:
    screen, name, size = shown
    resize(window, *size)
    scene = find_scene(PHONE_SCENES if screen == "phone" else DISPLAY_SCENES, name)
    scene = in_language(scene, language)
    show_scene(screen, replace(scene, state=named(scene.state, PAIRS[0])), window, fake_gateway)
    for pair in PAIRS:
        fake_gateway.announce(screen, "event.edited", named(scene.state, pair))
        full = f'[title="{pair[1]}"], :text("{pair[1]}")'
        expect(window.locator(full).first).to_be_attached()
        one, two = window.evaluate(page_script("read_names"))
        assert one["text"] != two["text"]
        assert [name["text"] for name in (one, two) if name["isWrong"]] == []


def test_phone_shows_notice_beside_team(fake_gateway: FakeGateway, window: Page) -> None:
    resize(window, *SMALLEST_PHONE)
    show_scene("phone", find_scene(PHONE_SCENES, "voting-notice"), window, fake_gateway)
    heading = window.get_by_role("heading", name="You are North Hall")
    for part in (window.locator(".ground-notice"), heading):
        expect(part).to_be_in_viewport(ratio=1)
    assert heading.evaluate("(part) => part.clientHeight") > 1


def test_phone_does_not_cut_team_beside_board(fake_gateway: FakeGateway, window: Page) -> None:
    resize(window, 667, 375)
    show_scene("phone", find_scene(PHONE_SCENES, "sealed-voted"), window, fake_gateway)
    heading = window.locator(".ground h1")
    expect(heading).to_contain_text("The Owls of Riverside")
    assert heading.evaluate("(part) => part.scrollWidth <= part.clientWidth")


@pytest.mark.parametrize("name", ["lobby", "lobby-other-game", "lobby-closed", "ended", "ended-podium"])
def test_display_shows_event_name(fake_gateway: FakeGateway, window: Page, name: str) -> None:
    resize(window, *PROJECTORS[0])
    show_scene("display", find_scene(DISPLAY_SCENES, name), window, fake_gateway)
    shown = window.locator(":not(.visually-hidden)").get_by_text("Summer fair")
    expect(shown.last).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_display_never_cuts_join_address(fake_gateway: FakeGateway, window: Page, language: str) -> None:
    """The rates beside the turn make room for it."""
    resize(window, *PROJECTORS[0])
    counted = TurnoutCounted(
        turn=MIDDLE.turn_id,
        figures=BoxFigures(changed=12_345),
        connected=(12_500, 11_900),
        voted=(8_120, 6_330),
        votes_per_s=12_345,
    )
    scene = Scene("voting", MIDDLE.voting, "voting", more=(counted,))
    show_scene("display", in_language(scene, language), window, fake_gateway)
    window.evaluate("() => document.fonts.ready")
    expect(window.locator(".footer .address b")).to_be_in_viewport(ratio=1)
    assert window.locator(".footer").evaluate("(footer) => footer.scrollWidth <= footer.clientWidth")


@pytest.mark.parametrize(
    "name",
    [
        *("events", "console-voting", "console-hands", "console-ended", "roster", "roster-preview"),
        *("report", "verify-match", "cup-console", "cup-league", "cup-board", "cup-board-league"),
    ],
)
def test_page_shows_whole_words(server: Server, browser: Browser, name: str) -> None:
    for names in (LONG_WORDS, *OF_EACH_SCRIPT):
        visited = next(visited for visited in PAGES if visited.name == name)
        visited = replace(visited, choices=visited.choices | {"names": names})
        if name.startswith("cup"):
            kind = "league" if "league" in name else "knockout"
            visited = replace(visited, prepare=with_cup(kind, names, []))
        with browser.new_context() as context:
            page = context.new_page()
            visit(visited, page, server)
            resize(page, *SMALLEST_PHONE)
            assert page.evaluate("document.documentElement.scrollWidth") == SMALLEST_PHONE[0]
            for size in (SMALLEST_PHONE, *PROJECTORS) if names in OF_EACH_SCRIPT else ():
                resize(page, *size)
                words = page.evaluate(page_script("read_words"), names)
                assert words == {"shown": 2, "broken": []}, (names, size)
                short = page.evaluate(READ_SHORT_NAMES_JS)
                assert len(set(short.values())) == len(short), (names, size)
