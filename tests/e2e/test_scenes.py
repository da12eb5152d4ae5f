"""Phone and display in every scene: no text cut off, overlapping or too small, no axe violations."""

from collections.abc import Sequence

import pytest
from playwright.sync_api import Page

from tests.e2e import axe
from tests.e2e.display_scenes import DISPLAY_SCENES
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.phone_scenes import PHONE_SCENES
from tests.e2e.scene_setup import Scene, scene_params, show_scene
from tests.e2e.visible_text import NEXT_FRAME_JS, TextLine, faults, visible_lines

# The first one is the smallest.
PHONES = ((320, 568), (844, 390), (430, 932), (390, 844))
HALF = (195, 422)
ENLARGED = ("voting-score", "reveal-conflict-picks", "ended-sides", "key-name")
SCREENS = ((1024, 768), (3840, 2160), (1920, 1080))
READS_FROM_AFAR, READS_IN_THE_HAND_PX = 0.05, 12
# Without a GPU, animating the sea takes most of the processor time.
STILL_SEA = """() => document.getAnimations()
  .filter(({effect}) => effect.getTiming().iterations === Infinity)
  .forEach((endless) => endless.pause())"""
Sizes = Sequence[tuple[int, int]]
KNOWS_SCHEMES = """() => [...document.styleSheets].flatMap(({cssRules}) => [...cssRules])
  .some((rule) => rule.cssText.includes("prefers-color-scheme"))"""


@pytest.mark.parametrize("scene", **scene_params(PHONE_SCENES))
def test_phone_scene_fits_every_phone(fake_gateway: FakeGateway, window: Page, scene: Scene) -> None:
    sized(window, *PHONES[0])
    show_scene("phone", scene, window, fake_gateway)
    assert wrong_on_phones(window, PHONES) + axe.check(window, scene.name) == []


@pytest.mark.parametrize("name", ENLARGED)
def test_phone_scene_can_be_enlarged(fake_gateway: FakeGateway, window: Page, name: str) -> None:
    """At 200% zoom, as WCAG 1.4.4 asks for, a phone's page is half as wide, and may scroll down."""
    scene = next(scene for scene in PHONE_SCENES if scene.name == name)
    sized(window, *HALF)
    show_scene("phone", scene, window, fake_gateway)
    lines = lines_at(window, *HALF)
    assert faults(lines, HALF[0], window.evaluate("() => document.scrollingElement.scrollHeight")) == []


@pytest.mark.parametrize("scene", **scene_params(DISPLAY_SCENES))
def test_display_scene_fits_every_projector(fake_gateway: FakeGateway, window: Page, scene: Scene) -> None:
    sized(window, *SCREENS[0])
    show_scene("display", scene, window, fake_gateway)
    assert wrong_on_screens(window, SCREENS) + axe.check(window, scene.name, ("dark",)) == []


def test_display_ignores_color_scheme(fake_gateway: FakeGateway, window: Page) -> None:
    """So the display is tested in one color scheme only."""
    show_scene("display", DISPLAY_SCENES[0], window, fake_gateway)
    assert not window.evaluate(KNOWS_SCHEMES)


# Notices with a background of their own over the clock or the team's name.
COVERING_JS = """() => {
  const boxes = (parts) => [...document.querySelectorAll(parts)].map((part) => part.getBoundingClientRect());
  const covered = boxes(".ground h1, .ground .clock");
  return boxes(".drop > *, .receipts summary").filter((notice) => covered.some((box) =>
    Math.min(notice.bottom, box.bottom) - Math.max(notice.top, box.top) > 2
    && Math.min(notice.right, box.right) - Math.max(notice.left, box.left) > 2));
}"""


def wrong_on_phones(window: Page, sizes: Sizes) -> list[str]:
    wrong = []
    for width, height in sizes:
        words = lines_at(window, width, height)
        small = [f"too small: {word}" for word in words if word.type < READS_IN_THE_HAND_PX - 0.01]
        covering = [f"covering: {box}" for box in window.evaluate(COVERING_JS)]
        wrong += [f"{width}x{height}: {fault}" for fault in faults(words, width, height) + small + covering]
    return wrong


TOO_TALL_JS = """(parts) => parts.filter((part) => part.scrollHeight > part.clientHeight + 2)
  .map((part) => part.innerText)"""


def wrong_on_screens(window: Page, sizes: Sizes) -> list[str]:
    window.evaluate("() => document.fonts.ready")
    window.evaluate(STILL_SEA)
    wrong = []
    for width, height in sizes:
        words = lines_at(window, width, height)
        least = READS_FROM_AFAR * height - 0.01
        small = [f"too small: {word}" for word in words if word.type < least]
        tall = [f"too tall: {text}" for text in window.locator(".end").evaluate_all(TOO_TALL_JS)]
        wrong += [f"{width}x{height}: {fault}" for fault in faults(words, width, height) + small + tall]
    return wrong


def lines_at(window: Page, width: int, height: int) -> list[TextLine]:
    sized(window, width, height)
    return visible_lines(window)


def sized(window: Page, width: int, height: int) -> None:
    window.set_viewport_size({"width": width, "height": height})
    window.evaluate(NEXT_FRAME_JS)


SPOILT = """
<p style="position: absolute; left: 700px; white-space: nowrap">runs off the screen, far off</p>
<p style="position: absolute; top: 300px">one</p><p style="position: absolute; top: 304px">two</p>
<p style="position: absolute; top: 400px; width: 30px; overflow: hidden; white-space: nowrap">cut off</p>
"""


def test_faults_detects_cut_off_and_overlapping_text(window: Page) -> None:
    """Otherwise the other tests would prove nothing."""
    sized(window, 800, 600)
    window.set_content(SPOILT)
    found = [fault.partition(":")[0] for fault in faults(visible_lines(window), 800, 600)]
    assert found == ["off the screen", "cut off", "one over the other"]
