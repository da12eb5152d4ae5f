"""Team names that share words: the display and the phone show what differs, and break no word."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import in_language
from tests.e2e.scenes import DISPLAY_SCENES, PHONE_SCENES, Scene, show_scene
from tests.e2e.screens import TIMEOUT_MS
from tests.e2e.test_scenes import sized
from voting.protocol import EventState

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
