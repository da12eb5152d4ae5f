"""Phone and display in other languages: the text fits, is accessible, and none is in English."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import axe
from tests.e2e.display_scenes import DISPLAY_SCENES
from tests.e2e.english_text import english_on
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.phone_scenes import PHONE_SCENES
from tests.e2e.scene_setup import Scene, in_language, show_scene
from tests.e2e.screens import TIMEOUT_MS
from tests.e2e.test_scenes import PHONES, SCREENS, sized, wrong_on_phones, wrong_on_screens

LANGUAGES = ("de", "ar", "es", "fr", "pt", "zh-hans")


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scene", PHONE_SCENES, ids=lambda scene: scene.name)
def test_phone_scene_is_translated(
    fake_gateway: FakeGateway, window: Page, scene: Scene, language: str
) -> None:
    sized(window, *PHONES[0])
    show_scene("phone", in_language(scene, language), window, fake_gateway)
    wrong = wrong_on_phones(window, PHONES[:1]) + axe.check(window, scene.name, axe.SCHEMES[:1])
    assert wrong + english_on(window, language, "djangojs") == []


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scene", DISPLAY_SCENES, ids=lambda scene: scene.name)
def test_display_scene_is_translated(
    fake_gateway: FakeGateway, window: Page, scene: Scene, language: str
) -> None:
    sized(window, *SCREENS[0])
    show_scene("display", in_language(scene, language), window, fake_gateway)
    wrong = wrong_on_screens(window, SCREENS[:1]) + axe.check(window, scene.name, axe.SCHEMES[:1])
    assert wrong + english_on(window, language, "djangojs") == []


def test_english_on_detects_english(fake_gateway: FakeGateway, window: Page) -> None:
    """Otherwise the other tests would prove nothing."""
    show_scene("phone", PHONE_SCENES[0], window, fake_gateway)
    assert len(english_on(window, "de", "djangojs")) > 1


def test_display_reloads_itself_in_new_language(fake_gateway: FakeGateway, window: Page) -> None:
    scene = in_language(DISPLAY_SCENES[0], "de")
    show_scene("display", scene, window, fake_gateway)
    arabic = in_language(DISPLAY_SCENES[0], "ar").state(fake_gateway.now())
    fake_gateway.show(arabic)
    fake_gateway.say("display", fake_gateway.change("event.edited", arabic))
    expect(window.locator("html")).to_have_attribute("lang", "ar", timeout=TIMEOUT_MS)
    assert english_on(window, "ar", "djangojs") == []
