"""Names on display and phone: what differs between the teams, the event, the join address and the token."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.display_scenes import DISPLAY_SCENES
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.page_states import with_cup
from tests.e2e.page_visits import PAGES, visit
from tests.e2e.phone_scenes import PHONE_SCENES
from tests.e2e.scene_setup import MIDDLE, SLOWER, Scene, in_language, show_scene
from tests.e2e.screens import TABLET, TIMEOUT_MS
from tests.e2e.scripted_match import ScriptedMatch
from tests.e2e.test_scenes import sized
from tests.e2e.visible_text import NEXT_FRAME_JS
from tests.server import Server
from voting.protocol import EventState, TurnoutCounted
from voting.protocol.server import BoxFigures

PAIRS = json.loads((Path(__file__).parent / "name_pairs.json").read_text())
LANGUAGES = ("en", "de", "ar", "es", "fr", "pt", "zh-hans")
PROJECTORS = ((1024, 768), (1920, 1080))
SMALLEST_PHONE = (320, 568)
# Marks above and below letters may reach beyond their line, by less than a line.
# Short forms are inside another element, beside the full name for screen readers.
READ_NAMES_JS = """(selector) => [...document.querySelectorAll(selector)].map((name) => {
  const {overflowWrap, wordBreak} = getComputedStyle(name);
  const [own, room] = [name, name.parentElement].map((box) => box.getBoundingClientRect());
  const isCut = name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 8;
  return {
    text: (name.querySelector("bdi") ?? name).textContent,
    isCut: isCut || own.left < room.left - 1 || own.right > room.right + 1,
    breaksWords: overflowWrap !== "normal" || wordBreak !== "normal",
  };
})"""

OF_EACH_SCRIPT = (PAIRS[2], PAIRS[4], PAIRS[9], PAIRS[6])
PAGES_WITH_NAMES = (
    *("events", "console-voting", "console-hands", "console-ended", "roster", "roster-preview", "report"),
    *("verify-match", "cup-console", "cup-league", "cup-board", "cup-board-league"),
)
# The words of names that are on two lines or outside a box that clips them. A line may end after a hyphen.
READ_WORDS_JS = """(names) => {
  const above = (part) => part ? [part, ...above(part.parentElement)] : [];
  const clips = (part) => /hidden|clip/.test(getComputedStyle(part).overflow);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const [shown, broken] = [new Set(), []];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const part = node.parentElement;
    if (!part.checkVisibility() || part.closest(".unseen, select, textarea, style, script")) continue;
    for (const name of names.filter((name) => node.data.includes(name))) {
      shown.add(name);
      const frames = above(part).slice(0, -2).filter(clips).map((box) => box.getBoundingClientRect());
      for (const word of name.matchAll(/\\p{Script=Han}|[^\\s\\p{Script=Han}-]+/gu)) {
        const range = document.createRange();
        const start = node.data.indexOf(name) + word.index;
        range.setStart(node, start);
        range.setEnd(node, start + word[0].length);
        const boxes = [...range.getClientRects()].filter(({width}) => width > 0.5);
        const isCut = boxes.some(({left, right, top, bottom}) => frames.some((frame) =>
          left < frame.left - 2 || right > frame.right + 2 || (top + bottom) / 2 > frame.bottom));
        if (isCut || new Set(boxes.map(({top}) => Math.round(top))).size > 1) broken.push(word[0]);
      }
    }
  }
  return {shown: shown.size, broken};
}"""

READ_SHORT_NAMES_JS = """() => Object.fromEntries([...document.querySelectorAll(".sheet bdi[title]")]
  .map((name) => [name.title, name.textContent]))"""


def named(state: EventState, pair: tuple[str, str]) -> EventState:
    one, two = (
        msgspec.structs.replace(team, name=name) for team, name in zip(state.teams, pair, strict=True)
    )
    return msgspec.structs.replace(state, teams=(one, two))


def check_names(kind: str, scene: Scene, page: Page, fake_gateway: FakeGateway) -> None:
    first = replace(scene, state=lambda now: named(scene.state(now), PAIRS[0]))
    show_scene(kind, first, page, fake_gateway)
    for pair in PAIRS:
        state = named(first.state(fake_gateway.now()), pair)
        fake_gateway.say(kind, fake_gateway.change("event.edited", state))
        full = f'[title="{pair[1]}"], :text("{pair[1]}")'
        expect(page.locator(full).first).to_be_attached(timeout=TIMEOUT_MS)
        one, two = page.evaluate(READ_NAMES_JS, ".team-name, .corner .name")
        assert one["text"] != two["text"]
        assert [name for name in (one, two) if name["isCut"] or name["breaksWords"]] == []


@pytest.mark.nightly
@pytest.mark.parametrize("size", PROJECTORS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["lobby", "lobby-team-links", "voting", "closed", "reveal-conflict-picks"])
def test_display_shows_what_differs(
    fake_gateway: FakeGateway, window: Page, name: str, language: str, size: tuple[int, int]
) -> None:
    sized(window, *size)
    scene = next(scene for scene in DISPLAY_SCENES if scene.name == name)
    check_names("display", in_language(scene, language), window, fake_gateway)


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["voting", "closed"])
def test_phone_shows_what_differs(fake_gateway: FakeGateway, window: Page, name: str, language: str) -> None:
    sized(window, *SMALLEST_PHONE)
    scene = next(scene for scene in PHONE_SCENES if scene.name == name)
    check_names("phone", in_language(scene, language), window, fake_gateway)


@pytest.mark.nightly
def test_phone_shows_notice_beside_team(fake_gateway: FakeGateway, window: Page) -> None:
    sized(window, *SMALLEST_PHONE)
    scene = next(scene for scene in PHONE_SCENES if scene.name == "voting-notice")
    show_scene("phone", scene, window, fake_gateway)
    expect(window.locator(".ground-notice")).to_be_in_viewport(ratio=1)
    expect(window.get_by_role("heading", name="You are North Hall")).to_be_in_viewport(ratio=1)
    box = window.locator("h1").bounding_box()
    assert box
    assert box["height"] > 1


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["lobby", "lobby-other-game", "lobby-closed", "ended", "ended-podium"])
def test_display_shows_event_name(fake_gateway: FakeGateway, window: Page, name: str) -> None:
    sized(window, *PROJECTORS[0])
    show_scene("display", next(scene for scene in DISPLAY_SCENES if scene.name == name), window, fake_gateway)
    shown = window.locator(":not(.visually-hidden)").get_by_text("Summer fair")
    expect(shown.last).to_be_in_viewport(ratio=1)


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
def test_display_never_cuts_join_address(fake_gateway: FakeGateway, window: Page, language: str) -> None:
    """The rates beside the turn make room for it."""
    sized(window, *PROJECTORS[0])
    counted = TurnoutCounted(
        turn=MIDDLE.turn_id,
        connected=(12_500, 11_900),
        voted=(8_120, 6_330),
        votes_per_s=12_345,
        figures=BoxFigures(changed=12_345),
    )
    scene = Scene("voting", MIDDLE.voting, "voting", more=(counted,))
    show_scene("display", in_language(scene, language), window, fake_gateway)
    window.evaluate("() => document.fonts.ready")
    expect(window.locator(".footer .address b")).to_be_in_viewport(ratio=1)
    assert window.locator(".footer").evaluate("(footer) => footer.scrollWidth <= footer.clientWidth")


@pytest.mark.nightly
def test_display_names_token_outside_reveals(fake_gateway: FakeGateway, window: Page) -> None:
    sized(window, *PROJECTORS[0])
    show_scene("display", Scene("voting", ScriptedMatch().voting, "voting"), window, fake_gateway)
    label = window.locator(".token-label")
    expect(label).to_have_text("token")
    after = ScriptedMatch().play(4, 4)
    reveal = after.reveal(fake_gateway.now(), "drops", SLOWER)
    fake_gateway.say("display", fake_gateway.change("turn.revealed", reveal))
    expect(label).to_have_count(0)
    fake_gateway.say("display", fake_gateway.change("turn.opened", after.voting(fake_gateway.now())))
    expect(label).to_have_text("token")


def open_named_page(server: Server, open_at: OpenScreen, name: str, names: list[str]) -> Page:
    visited = next(visited for visited in PAGES if visited.name == name)
    visited = replace(visited, choices=visited.choices | {"names": names})
    if name.startswith("cup"):
        visited = replace(visited, prepare=with_cup("league" if "league" in name else "knockout", names, []))
    page = open_at(server, name, TABLET).page
    visit(visited, page, server)
    return page


@pytest.mark.nightly
@pytest.mark.parametrize("pair", OF_EACH_SCRIPT, ids=["latin", "arabic", "cyrillic", "chinese"])
@pytest.mark.parametrize("name", PAGES_WITH_NAMES)
def test_page_shows_whole_words(server: Server, open_at: OpenScreen, name: str, pair: list[str]) -> None:
    page = open_named_page(server, open_at, name, pair)
    for size in (SMALLEST_PHONE, *PROJECTORS):
        sized(page, *size)
        page.evaluate(NEXT_FRAME_JS)
        assert page.evaluate(READ_WORDS_JS, pair) == {"shown": 2, "broken": []}, size
        short = page.evaluate(READ_SHORT_NAMES_JS)
        assert len(set(short.values())) == len(short), size


@pytest.mark.nightly
@pytest.mark.parametrize("name", PAGES_WITH_NAMES)
def test_page_fits_names_of_one_long_word(server: Server, open_at: OpenScreen, name: str) -> None:
    names = ["Donaudampfschifffahrtsgesellschaftskapit", "Rindfleischetikettierungsueberwachungsge"]
    page = open_named_page(server, open_at, name, names)
    sized(page, *SMALLEST_PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == SMALLEST_PHONE[0]
