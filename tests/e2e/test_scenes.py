import pytest
from playwright.sync_api import Page, expect

from tests.e2e import scene_setup as setup
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.page_checks import axe_violations, english_on, faults, resize, visible_lines
from tests.e2e.scenes import DISPLAY_SCENES, PHONE_SCENES
from tests.e2e.scripted_match import ScriptedMatch
from tests.e2e.scripts import page_script
from voting.protocol import Team

# The first one is the smallest.
SIZES = {
    "phone": ((320, 568), (844, 390), (430, 932), (390, 844)),
    "display": ((1024, 768), (3840, 2160), (1920, 1080)),
}
EVERY_SCENE = [
    pytest.param(screen, scene, id=f"{screen}-{scene.name}")
    for screen, scenes in (("phone", PHONE_SCENES), ("display", DISPLAY_SCENES))
    for scene in scenes
]
LANGUAGES = ("de", "ar", "es", "fr", "pt", "zh-hans")
TOO_TALL_JS = """() => [...document.querySelectorAll(".end")]
  .filter((part) => part.scrollHeight > part.clientHeight + 2).map((part) => part.innerText)"""
SPOILT_JS = {"phone": page_script("covering"), "display": TOO_TALL_JS}
# Names of the maximum length, forty characters.
TEAMS = (
    Team(number=1, name="Donaudampfschifffahrtsgesellschaftskapit"),
    Team(number=2, name="Équipe du Théâtre de Saint-Étienne réuni"),
)
STATES = {
    "lobby": setup.with_options(ScriptedMatch(), teams=TEAMS).lobby,
    "voting": setup.with_options(setup.MIDDLE, teams=TEAMS).voting,
    "reveal": setup.at_step("picks", setup.with_options(setup.CONFLICT, teams=TEAMS)),
    "ended": setup.ended(setup.with_options(setup.THE_END, teams=TEAMS)),
}
PARTS = {
    "display lobby": ".joined-team :is(.badge, h2, p)|.demonstration|.qr|.join-info .address",
    "display voting": ".team|.turnout-label|.clock .figure|.cabinet|.token|.footer .turn|.footer .address",
    "display reveal": ".team|.choice|.cabinet|.token|.footer .caption",
    "display ended": ".end > *|.cabinet|.footer .address",
    "phone lobby": ".clock|h1|.sentence",
    "phone voting": ".clock|h1|.sentence|.rim|.plate|.corner",
    "phone ended": ".clock|h1|.sentence|.rim|.plate|.corner",
}


def wrong_on(screen: str, window: Page, *sizes: tuple[int, int]) -> list[str]:
    window.evaluate("() => document.fonts.ready")
    wrong = []
    for size in sizes:
        resize(window, *size)
        words = visible_lines(window)
        least = 12 if screen == "phone" else 0.05 * size[1]
        wrong += [f"{size}: {fault}" for fault in faults(words, *size)]
        wrong += [f"{size}: too small: {word}" for word in words if word.type < least - 0.01]
        wrong += [f"{size}: spoilt: {part}" for part in window.evaluate(SPOILT_JS[screen])]
    return wrong


@pytest.mark.parametrize(("screen", "scene"), EVERY_SCENE)
def test_scene_fits_screen(fake_gateway: FakeGateway, window: Page, screen: str, scene: setup.Scene) -> None:
    resize(window, *SIZES[screen][0])
    setup.show_scene(screen, scene, window, fake_gateway)
    violations = axe_violations(window, scene.name, ["light", "dark"] if screen == "phone" else ["dark"])
    assert wrong_on(screen, window, *SIZES[screen]) + violations == []


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("screen", "scene"), EVERY_SCENE)
def test_scene_is_translated(
    fake_gateway: FakeGateway, window: Page, screen: str, scene: setup.Scene, language: str
) -> None:
    resize(window, *SIZES[screen][0])
    setup.show_scene(screen, setup.in_language(scene, language), window, fake_gateway)
    wrong = wrong_on(screen, window, SIZES[screen][0]) + axe_violations(window, scene.name, ["light"])
    assert wrong + english_on(window, language, "djangojs") == []


@pytest.mark.parametrize("name", ["voting-score", "reveal-conflict-picks", "ended-sides", "key-name"])
def test_phone_scene_can_be_enlarged(fake_gateway: FakeGateway, window: Page, name: str) -> None:
    """At 200% zoom, as WCAG 1.4.4 asks for, a phone's page is half as wide, and may scroll down."""
    resize(window, 195, 422)
    setup.show_scene("phone", setup.find_scene(PHONE_SCENES, name), window, fake_gateway)
    height = window.evaluate("() => document.scrollingElement.scrollHeight")
    assert faults(visible_lines(window), 195, height) == []


def test_display_reloads_itself_in_new_language(fake_gateway: FakeGateway, window: Page) -> None:
    setup.show_scene("display", setup.in_language(DISPLAY_SCENES[0], "de"), window, fake_gateway)
    arabic = setup.in_language(DISPLAY_SCENES[0], "ar").state
    fake_gateway.show(arabic(fake_gateway.now()))
    fake_gateway.announce("display", "event.edited", arabic)
    expect(window.locator("html")).to_have_attribute("lang", "ar")
    assert english_on(window, "ar", "djangojs") == []


@pytest.mark.nightly
@pytest.mark.parametrize("shown", PARTS)
def test_parts_of_screen_fit_with_the_longest_names(show: setup.Show, window: Page, shown: str) -> None:
    screen, phase = shown.split()
    sizes = SIZES["phone"] if screen == "phone" else ((1920, 1080), (1024, 768), (1280, 720))
    parts = PARTS[shown].split("|")
    window.emulate_media(reduced_motion="reduce")  # the box of a token that turns is larger
    resize(window, *sizes[0])
    show(screen, STATES[phase], phase)
    for size in sizes:
        resize(window, *size)
        # Names are fitted a moment later.
        window.wait_for_function(page_script("all_complete"), arg=",".join(parts))
        assert window.evaluate(page_script("misplaced"), parts) == []
    if screen == "display":
        assert wrong_on(screen, window, *sizes) == []


@pytest.mark.nightly
def test_code_and_clock_are_large_and_the_sea_rises_at_the_end(show: setup.Show, window: Page) -> None:
    resize(window, 1280, 720)
    show("display", STATES["lobby"], "lobby")
    code = window.locator(".qr path").bounding_box()
    show("display", STATES["voting"])
    assert window.locator(".clock .figure").evaluate(page_script("digit_height")) >= 0.13
    window.emulate_media(reduced_motion="reduce")
    show("display", STATES["ended"], "ended")
    sea = window.locator(".flood .crest").bounding_box()
    assert code
    assert code["height"] >= 0.6 * 720
    assert sea
    assert sea["y"] <= 0.03 * 720
    assert sea["width"] >= 1280
