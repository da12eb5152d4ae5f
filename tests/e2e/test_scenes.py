"""Phone and display in every scene: text that fits, can be read and is translated, and no axe violations."""

from collections.abc import Sequence

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import axe
from tests.e2e.english_text import english_on
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import Scene, find_scene, in_language, show_scene
from tests.e2e.scenes import DISPLAY_SCENES, PHONE_SCENES
from tests.e2e.visible_text import NEXT_FRAME_JS, TextLine, faults, visible_lines

Sizes = Sequence[tuple[int, int]]
# The first one is the smallest.
PHONES: Sizes = ((320, 568), (844, 390), (430, 932), (390, 844))
SIZES: dict[str, Sizes] = {"phone": PHONES, "display": ((1024, 768), (3840, 2160), (1920, 1080))}
EVERY_SCENE = [
    pytest.param(screen, scene, id=f"{screen}-{scene.name}")
    for screen, scenes in (("phone", PHONE_SCENES), ("display", DISPLAY_SCENES))
    for scene in scenes
]
HALF = (195, 422)
LANGUAGES = ("de", "ar", "es", "fr", "pt", "zh-hans")
READS_FROM_AFAR, READS_IN_THE_HAND_PX = 0.05, 12
# Without a GPU, animating the sea takes most of the processor time.
STILL_SEA = """() => document.getAnimations()
  .filter(({effect}) => effect.getTiming().iterations === Infinity)
  .forEach((endless) => endless.pause())"""
KNOWS_SCHEMES = """() => [...document.styleSheets].flatMap(({cssRules}) => [...cssRules])
  .some((rule) => rule.cssText.includes("prefers-color-scheme"))"""
# Notices with a background of their own over the clock or the team's name.
COVERING_JS = """() => {
  const boxes = (parts) => [...document.querySelectorAll(parts)].map((part) => part.getBoundingClientRect());
  const covered = boxes(".ground h1, .ground .clock");
  return boxes(".drop > *, .receipts summary").filter((notice) => covered.some((box) =>
    Math.min(notice.bottom, box.bottom) - Math.max(notice.top, box.top) > 2
    && Math.min(notice.right, box.right) - Math.max(notice.left, box.left) > 2));
}"""
TOO_TALL_JS = """() => [...document.querySelectorAll(".end")]
  .filter((part) => part.scrollHeight > part.clientHeight + 2).map((part) => part.innerText)"""
SPOILT_JS = {"phone": COVERING_JS, "display": TOO_TALL_JS}
SPOILT = """
<p style="position: absolute; left: 700px; white-space: nowrap">runs off the screen, far off</p>
<p style="position: absolute; top: 300px">one</p><p style="position: absolute; top: 304px">two</p>
<p style="position: absolute; top: 400px; width: 30px; overflow: hidden; white-space: nowrap">cut off</p>
"""


def sized(window: Page, width: int, height: int) -> None:
    window.set_viewport_size({"width": width, "height": height})
    window.evaluate(NEXT_FRAME_JS)


def lines_at(window: Page, width: int, height: int) -> list[TextLine]:
    sized(window, width, height)
    return visible_lines(window)


def wrong_on(screen: str, window: Page, sizes: Sizes) -> list[str]:
    """The faults of the text at these sizes."""
    window.evaluate("() => document.fonts.ready")
    window.evaluate(STILL_SEA)
    wrong = []
    for width, height in sizes:
        words = lines_at(window, width, height)
        least = READS_IN_THE_HAND_PX if screen == "phone" else READS_FROM_AFAR * height
        found = faults(words, width, height)
        found += [f"too small: {word}" for word in words if word.type < least - 0.01]
        found += [f"spoilt: {part}" for part in window.evaluate(SPOILT_JS[screen])]
        wrong += [f"{width}x{height}: {fault}" for fault in found]
    return wrong


@pytest.mark.parametrize(("screen", "scene"), EVERY_SCENE)
def test_scene_fits_every_screen(fake_gateway: FakeGateway, window: Page, screen: str, scene: Scene) -> None:
    sizes = SIZES[screen]
    sized(window, *sizes[0])
    show_scene(screen, scene, window, fake_gateway)
    schemes: list[axe.Scheme] = ["light", "dark"] if screen == "phone" else ["dark"]
    assert wrong_on(screen, window, sizes) + axe.check(window, scene.name, schemes) == []


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("screen", "scene"), EVERY_SCENE)
def test_scene_is_translated(
    fake_gateway: FakeGateway, window: Page, screen: str, scene: Scene, language: str
) -> None:
    smallest = SIZES[screen][:1]
    sized(window, *smallest[0])
    show_scene(screen, in_language(scene, language), window, fake_gateway)
    wrong = wrong_on(screen, window, smallest) + axe.check(window, scene.name, ["light"])
    assert wrong + english_on(window, language, "djangojs") == []


@pytest.mark.parametrize("name", ["voting-score", "reveal-conflict-picks", "ended-sides", "key-name"])
def test_phone_scene_can_be_enlarged(fake_gateway: FakeGateway, window: Page, name: str) -> None:
    """At 200% zoom, as WCAG 1.4.4 asks for, a phone's page is half as wide, and may scroll down."""
    sized(window, *HALF)
    show_scene("phone", find_scene(PHONE_SCENES, name), window, fake_gateway)
    lines = lines_at(window, *HALF)
    assert faults(lines, HALF[0], window.evaluate("() => document.scrollingElement.scrollHeight")) == []


def test_display_ignores_color_scheme(fake_gateway: FakeGateway, window: Page) -> None:
    """So the display is tested in one color scheme only."""
    show_scene("display", DISPLAY_SCENES[0], window, fake_gateway)
    assert not window.evaluate(KNOWS_SCHEMES)


def test_display_reloads_itself_in_new_language(fake_gateway: FakeGateway, window: Page) -> None:
    show_scene("display", in_language(DISPLAY_SCENES[0], "de"), window, fake_gateway)
    arabic = in_language(DISPLAY_SCENES[0], "ar").state
    fake_gateway.show(arabic(fake_gateway.now()))
    fake_gateway.announce("display", "event.edited", arabic)
    expect(window.locator("html")).to_have_attribute("lang", "ar")
    assert english_on(window, "ar", "djangojs") == []


def test_checks_detect_english_violations_and_faults_of_the_text(
    fake_gateway: FakeGateway, window: Page
) -> None:
    """Otherwise the other tests would prove nothing."""
    show_scene("phone", PHONE_SCENES[0], window, fake_gateway)
    assert len(english_on(window, "de", "djangojs")) > 1
    window.evaluate("document.body.append(document.createElement('button'))")
    assert "button-name" in axe.check(window, "broken", ("light",))[0]
    sized(window, 800, 600)
    window.goto("about:blank")
    window.set_content(SPOILT)
    found = [fault.partition(":")[0] for fault in faults(visible_lines(window), 800, 600)]
    assert found == ["off the screen", "cut off", "one over the other"]
