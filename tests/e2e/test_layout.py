"""Parts of the screens with the longest team names: none overlaps, is cut off or too small."""

from dataclasses import dataclass
from itertools import combinations

import pytest
from playwright.sync_api import Page

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import CONFLICT, MIDDLE, THE_END, Scene, at_step, ended, show_scene, with_options
from tests.e2e.scripted_match import ScriptedMatch
from tests.e2e.test_scenes import PHONES, sized
from voting.protocol import Team

PROJECTORS = ((1920, 1080), (1024, 768), (1280, 720))
# Names of the maximum length, forty characters.
TEAMS = (
    Team(number=1, name="Donaudampfschifffahrtsgesellschaftskapit"),
    Team(number=2, name="Équipe du Théâtre de Saint-Étienne réuni"),
)
SCENES = {
    "lobby": Scene("lobby", with_options(ScriptedMatch(), teams=TEAMS).lobby, "lobby"),
    "voting": Scene("voting", with_options(MIDDLE, teams=TEAMS).voting, "voting"),
    "reveal": Scene("reveal", at_step("picks", with_options(CONFLICT, teams=TEAMS)), "reveal"),
    "ended": Scene("ended", ended(with_options(THE_END, teams=TEAMS)), "ended"),
}
TOLERANCE_PX = 1
READS_FROM_AFAR, CLOCK, QR = 0.05, 0.13, 0.6

DISPLAY_PARTS = {
    "lobby": (
        *(".joined-team .badge", ".joined-team h2", ".joined-team p", ".demonstration", ".qr"),
        ".join-info .address",
    ),
    "voting": (
        *(".team", ".turnout-label", ".clock .figure", ".cabinet", ".token", ".footer .turn"),
        ".footer .address",
    ),
    "reveal": (".team", ".choice", ".cabinet", ".token", ".footer .caption"),
    "ended": (".end > *", ".cabinet", ".footer .address"),
}
DISPLAY_TEXTS = {
    "lobby": (".joined-team h2", ".joined-team p", ".captions p", ".join-info .address"),
    "voting": (".team h2", ".turnout-label b", ".turnout-label span", ".plate text", ".footer span"),
    "reveal": (".team h2", ".choice span", ".choice p", ".plate text", ".footer .caption"),
    "ended": (".end h1", ".end p", ".plate text", ".footer span"),
}
PHONE_PARTS = {
    "lobby": (".clock", "h1", ".sentence"),
    "voting": (".clock", "h1", ".sentence", ".rim", ".plate", ".corner"),
    "ended": (".clock", "h1", ".sentence", ".rim", ".plate", ".corner"),
}

# Finishes animations first. `type` is the font size, also in scaled drawings; digits in a drawing fill only
# the middle of their line box.
BOXES_JS = """selectors => {
document.getAnimations()
  .filter(({constructor, effect}) => constructor !== Animation && effect.getTiming().iterations !== Infinity)
  .forEach(gliding => gliding.finish());
return selectors.flatMap(name => [...document.querySelectorAll(name)].map(part => {
  const {left, right, height, ...box} = part.getBoundingClientRect().toJSON();
  const drawn = part instanceof SVGTextElement && part.getBBox().height;
  const style = getComputedStyle(part);
  const spare = drawn ? 0.2 * height : 0;
  const [top, bottom] = [box.top + spare, box.bottom - spare];
  const type = parseFloat(style.fontSize) * (drawn ? height / drawn : 1);
  const seen = right > left && bottom > top && style.opacity !== "0" && style.visibility === "visible";
  const cut = part.scrollHeight > part.clientHeight + 1 && style.overflow !== "visible";
  return {name, left, top, right, bottom, type, seen, cut};
})).filter(({seen}) => seen);
}"""
ALL_COMPLETE_JS = f"selectors => ({BOXES_JS})(selectors).every(({{cut}}) => !cut)"
DIGIT_HEIGHT_JS = """() => {
  const {fontWeight, fontSize, fontFamily} = getComputedStyle(document.querySelector(".clock .figure"));
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  return pen.measureText("8").actualBoundingBoxAscent;
}"""
SCROLLS_JS = """() => {
  const page = document.scrollingElement;
  return page.scrollWidth > innerWidth || page.scrollHeight > innerHeight;
}"""


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a page on the screen; `type` is its font size."""

    name: str
    left: float
    top: float
    right: float
    bottom: float
    type: float
    seen: bool
    cut: bool

    def overlaps(self, other: "Box") -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return min(across, down) > TOLERANCE_PX

    def is_outside(self, width: int, height: int) -> bool:
        in_width = self.left >= -TOLERANCE_PX and self.right <= width + TOLERANCE_PX
        return not in_width or self.top < -TOLERANCE_PX or self.bottom > height + TOLERANCE_PX


def boxes(page: Page, *selectors: str) -> list[Box]:
    found = [Box(**box) for box in page.evaluate(BOXES_JS, list(selectors))]
    assert {box.name for box in found} == set(selectors)
    return found


def check_places(page: Page, found: list[Box], width: int, height: int) -> None:
    """Every part is completely on the screen, and none overlap."""
    assert [box for box in found if box.is_outside(width, height)] == []
    assert [pair for pair in combinations(found, 2) if pair[0].overlaps(pair[1])] == []
    assert not page.evaluate(SCROLLS_JS)


@pytest.mark.nightly
@pytest.mark.parametrize("phase", DISPLAY_PARTS)
def test_parts_of_display_fit_every_projector(fake_gateway: FakeGateway, window: Page, phase: str) -> None:
    window.emulate_media(reduced_motion="reduce")  # the box of a token that turns is larger
    sized(window, *PROJECTORS[0])
    show_scene("display", SCENES[phase], window, fake_gateway)
    window.evaluate("() => document.fonts.ready")
    parts, texts = DISPLAY_PARTS[phase], DISPLAY_TEXTS[phase]
    for width, height in PROJECTORS:
        sized(window, width, height)
        found = boxes(window, *{*parts, *texts})
        check_places(window, [box for box in found if box.name in parts], width, height)
        small = [box for box in found if box.name in texts and box.type < READS_FROM_AFAR * height - 0.01]
        assert small == []
    if phase == "lobby":
        (code,) = boxes(window, ".qr path")
        assert code.bottom - code.top >= QR * height
    if phase == "voting":
        assert window.evaluate(DIGIT_HEIGHT_JS) >= CLOCK * height
    if phase == "ended":
        (sea,) = boxes(window, ".flood .crest")
        assert sea.top <= 0.03 * height
        assert sea.right - sea.left >= width


@pytest.mark.nightly
@pytest.mark.parametrize("phase", PHONE_PARTS)
def test_parts_of_phone_fit_every_phone(fake_gateway: FakeGateway, window: Page, phase: str) -> None:
    sized(window, *PHONES[0])
    show_scene("phone", SCENES[phase], window, fake_gateway)
    for width, height in PHONES:
        sized(window, width, height)
        window.wait_for_function(ALL_COMPLETE_JS, arg=PHONE_PARTS[phase])  # names are fitted a moment later
        check_places(window, boxes(window, *PHONE_PARTS[phase]), width, height)
