import io
import wave

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import MIDDLE, Show, with_options
from tests.e2e.screens import PROJECTOR, Screen, wait_until
from tests.e2e.scripted_match import ScriptedMatch
from tests.e2e.scripts import page_script

HIDE_JS = page_script("hide")
SOUND_URL_JS = """() =>
  performance.getEntriesByType("resource").find(({name}) => name.includes("/sound-"))?.name"""
AUDIBLE, SILENT = 3e-4, 3e-5


@pytest.fixture
def wall(window: Page, show: Show) -> Page:
    window.set_viewport_size(PROJECTOR)
    window.add_init_script(f"({page_script('meter')})()")
    show("display", MIDDLE.voting)
    window.wait_for_load_state("networkidle")
    return window


def expect_sound(wall: Page, state: str, stored: str) -> None:
    """`stored`: what this display shall do after a reload."""
    expect(wall.locator(".sound")).to_have_attribute("data-sound", state)
    assert wall.evaluate("localStorage.getItem('crowdgame:sound')") == stored
    if state == "on":
        wall.wait_for_function("(least) => loudness() > least", arg=AUDIBLE)


def loudest(wall: Page) -> float:
    """The greatest loudness of 0.4 s: while sound fades out, single samples are silent, too."""
    return float(wall.evaluate("() => listen(400)"))


def wait_for_silence(wall: Page) -> None:
    wait_until(Screen(wall), lambda: loudest(wall) < SILENT)


@pytest.mark.parametrize("gesture", ["Shift", "m", "click"])
def test_display_is_silent_until_turned_on_and_after_a_reload_until_a_gesture(
    wall: Page, gesture: str
) -> None:
    wall.mouse.click(500, 300)
    expect(wall.locator(".sound")).to_have_attribute("data-sound", "off")
    assert loudest(wall) == 0
    assert wall.evaluate(SOUND_URL_JS) is None
    wall.keyboard.press("m")
    expect_sound(wall, "on", "on")
    wall.reload(wait_until="networkidle")
    expect_sound(wall, "waiting", "on")
    assert loudest(wall) == 0
    control = wall.get_by_role("button", name="Press any key for sound")
    expect(control).to_be_visible()
    if gesture == "click":
        control.click()
    else:
        wall.keyboard.press(gesture)
    expect_sound(wall, "on", "on")


def test_display_is_silent_while_muted_hidden_or_switched_off(wall: Page, fake_gateway: FakeGateway) -> None:
    for press in ("key", "button", "focus"):
        wall.keyboard.press("m")
        expect_sound(wall, "on", "on")
        if press == "key":
            wall.keyboard.press("m")
        elif press == "button":
            wall.get_by_role("button", name="Sound is on").click()
        else:
            wall.locator(".sound").focus()
            wall.keyboard.press("Space")
        expect_sound(wall, "off", "off")
        wait_for_silence(wall)
        expect(wall.locator(".presenter-message")).to_have_count(0)

    wall.keyboard.press("m")
    expect_sound(wall, "on", "on")
    wall.evaluate(HIDE_JS, True)
    wait_for_silence(wall)
    wall.evaluate(HIDE_JS, False)
    expect_sound(wall, "on", "on")

    fake_gateway.announce("display", "event.edited", with_options(MIDDLE, hidden=("sound",)).voting)
    wait_for_silence(wall)
    expect(wall.locator(".sound")).to_have_count(0)
    wall.keyboard.press("m")
    fake_gateway.announce("display", "event.edited", MIDDLE.voting)
    expect_sound(wall, "on", "on")


def test_motifs_are_audible_and_limited_and_bed_is_low(wall: Page) -> None:
    def render(*motifs: str, bed: float = 0) -> tuple[float, float]:
        peak, mean = wall.evaluate(page_script("render"), {"url": url, "motifs": motifs, "bed": bed})
        return peak, mean

    wall.keyboard.press("m")
    expect_sound(wall, "on", "on")
    url = wall.evaluate(SOUND_URL_JS)
    all_motifs = ["seal", "conflict", "close", "drop", "token", "block", "win"]
    for motif in all_motifs:
        peak, mean = render(motif)
        assert peak > 0.1, motif
        assert mean > AUDIBLE, motif
    assert 0.1 < render(*all_motifs * 3, bed=1)[0] < 0.7
    means = [render(bed=level)[1] for level in (0.08, 0.2, 0.6, 1)]
    assert AUDIBLE < means[0] < means[1] < means[2] < means[3] < render("win")[1]


def test_music_plays_in_the_lobby_only(show: Show, fake_gateway: FakeGateway, window: Page) -> None:
    """Sound that is turned on for all starts with a key at the latest."""
    silence = io.BytesIO()
    with wave.open(silence, "wb") as file:
        file.setparams((1, 2, 48_000, 48_000, "NONE", ""))
        file.writeframes(bytes(2 * 48_000))
    asked: list[str] = []
    window.on("request", lambda request: asked.append(request.url))
    window.route("**/brand/lobby-music", lambda route: route.fulfill(body=silence.getvalue()))
    window.add_init_script(page_script("show_volume"))
    show("display", ScriptedMatch().lobby, "lobby")
    sound, html = window.locator(".sound"), window.locator("html")
    expect(sound).to_have_attribute("data-sound", "off")
    quiet, loud = (with_options(ScriptedMatch(), sound_on=True, lobby_music=on) for on in (False, True))
    fake_gateway.announce("display", "event.edited", quiet.lobby)
    expect(sound).not_to_have_attribute("data-sound", "off")
    window.keyboard.press("Shift")
    expect(sound).to_have_attribute("data-sound", "on")
    assert not [url for url in asked if "lobby-music" in url]
    fake_gateway.announce("display", "event.edited", loud.lobby)
    expect(html).to_have_attribute("data-music", "true")
    fake_gateway.announce("display", "match.started", loud.voting)
    expect(html).to_have_attribute("data-music", "false")
    assert len([url for url in asked if "lobby-music" in url]) == 1
