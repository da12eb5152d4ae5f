"""Parts of the screens with the longest team names: all are visible, none overlaps or is cut off."""

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import Show
from tests.e2e.scene_setup import CONFLICT, MIDDLE, THE_END, at_step, ended, with_options
from tests.e2e.scripted_match import ScriptedMatch
from tests.e2e.test_scenes import PHONES, sized, wrong_on
from voting.protocol import Team

PROJECTORS = ((1920, 1080), (1024, 768), (1280, 720))
# Names of the maximum length, forty characters.
TEAMS = (
    Team(number=1, name="Donaudampfschifffahrtsgesellschaftskapit"),
    Team(number=2, name="Équipe du Théâtre de Saint-Étienne réuni"),
)
STATES = {
    "lobby": with_options(ScriptedMatch(), teams=TEAMS).lobby,
    "voting": with_options(MIDDLE, teams=TEAMS).voting,
    "reveal": at_step("picks", with_options(CONFLICT, teams=TEAMS)),
    "ended": ended(with_options(THE_END, teams=TEAMS)),
}
DISPLAY_PARTS = {
    "lobby": ".joined-team .badge|.joined-team h2|.joined-team p|.demonstration|.qr|.join-info .address",
    "voting": ".team|.turnout-label|.clock .figure|.cabinet|.token|.footer .turn|.footer .address",
    "reveal": ".team|.choice|.cabinet|.token|.footer .caption",
    "ended": ".end > *|.cabinet|.footer .address",
}
PHONE_PARTS = {
    "lobby": ".clock|h1|.sentence",
    "voting": ".clock|h1|.sentence|.rim|.plate|.corner",
    "ended": ".clock|h1|.sentence|.rim|.plate|.corner",
}
# The parts that are missing, outside the screen or over another part.
MISPLACED_JS = """(selectors) => {
  const boxes = selectors.flatMap((name) => [...document.querySelectorAll(name)]
    .filter((part) => part.checkVisibility({opacityProperty: true, visibilityProperty: true}))
    .map((part) => ({name, ...part.getBoundingClientRect().toJSON()})));
  const page = document.scrollingElement;
  const overlap = (one, other) => Math.min(
    Math.min(one.right, other.right) - Math.max(one.left, other.left),
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)) > 1;
  return [
    ...selectors.filter((name) => !boxes.some((box) => box.name === name)).map((name) => `no ${name}`),
    ...boxes.filter(({left, top, right, bottom}) =>
      left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)
      .map(({name}) => `cut: ${name}`),
    ...boxes.flatMap((one, index) => boxes.slice(index + 1).filter((other) => overlap(one, other))
      .map((other) => `${one.name} is over ${other.name}`)),
    ...page.scrollWidth > innerWidth || page.scrollHeight > innerHeight ? ["the page scrolls"] : [],
  ];
}"""
ALL_COMPLETE_JS = """(parts) => [...document.querySelectorAll(parts)].every((part) =>
  !part.checkVisibility({opacityProperty: true}) || part.scrollHeight <= part.clientHeight + 1
  || getComputedStyle(part).overflow === "visible")"""
HEIGHT_JS = "(part) => part.getBoundingClientRect().height / innerHeight"
DIGIT_HEIGHT_JS = """(clock) => {
  const {fontWeight, fontSize, fontFamily} = getComputedStyle(clock);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  return pen.measureText("8").actualBoundingBoxAscent / innerHeight;
}"""


@pytest.mark.nightly
@pytest.mark.parametrize("phase", DISPLAY_PARTS)
def test_parts_of_display_fit_every_projector(show: Show, window: Page, phase: str) -> None:
    window.emulate_media(reduced_motion="reduce")  # the box of a token that turns is larger
    sized(window, *PROJECTORS[0])
    show("display", STATES[phase], phase)
    assert wrong_on("display", window, PROJECTORS) == []
    for size in PROJECTORS:
        sized(window, *size)
        assert window.evaluate(MISPLACED_JS, DISPLAY_PARTS[phase].split("|")) == []
    if phase == "lobby":
        assert window.locator(".qr path").evaluate(HEIGHT_JS) >= 0.6
    if phase == "voting":
        assert window.locator(".clock .figure").evaluate(DIGIT_HEIGHT_JS) >= 0.13
    if phase == "ended":
        sea = window.locator(".flood .crest").bounding_box()
        assert sea
        assert sea["y"] <= 0.03 * PROJECTORS[-1][1]
        assert sea["width"] >= PROJECTORS[-1][0]


@pytest.mark.nightly
@pytest.mark.parametrize("phase", PHONE_PARTS)
def test_parts_of_phone_fit_every_phone(show: Show, window: Page, phase: str) -> None:
    sized(window, *PHONES[0])
    show("phone", STATES[phase], phase)
    parts = PHONE_PARTS[phase].split("|")
    for size in PHONES:
        sized(window, *size)
        window.wait_for_function(ALL_COMPLETE_JS, arg=",".join(parts))  # names are fitted a moment later
        assert window.evaluate(MISPLACED_JS, parts) == []
