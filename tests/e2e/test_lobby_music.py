"""The big screen plays the installation's music in the lobby, and stops it when the match starts."""

import io
import wave

from playwright.sync_api import Page, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import Scene, show_scene, with_options
from tests.e2e.scripted_match import ScriptedMatch

# Shows whether each loop of one second is loud.
SHOW_VOLUME_JS = """
const volumes = [];
setInterval(() => document.documentElement.dataset.music = volumes.map(({ value }) => value > 0.1), 50);
const connect = AudioNode.prototype.connect;
AudioNode.prototype.connect = function (to, ...more) {
  if (this.loop && this.buffer.duration < 2) volumes.push(to.gain);
  return connect.call(this, to, ...more);
};
"""


def silence() -> bytes:
    packed = io.BytesIO()
    with wave.open(packed, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48_000)
        file.writeframes(bytes(2 * 48_000))
    return packed.getvalue()


def test_music_plays_in_the_lobby_only(fake_gateway: FakeGateway, window: Page) -> None:
    quiet, loud = (with_options(ScriptedMatch(), sound_on=True, lobby_music=on) for on in (False, True))
    asked: list[str] = []
    window.on("request", lambda request: asked.append(request.url))
    window.route("**/brand/lobby-music", lambda route: route.fulfill(body=silence()))
    window.add_init_script(SHOW_VOLUME_JS)
    show_scene("display", Scene("lobby", quiet.lobby, "lobby"), window, fake_gateway)
    window.keyboard.press("Shift")
    window.locator(".sound[data-sound=on]").wait_for()
    assert not [url for url in asked if "lobby-music" in url]
    fake_gateway.announce("display", "event.edited", loud.lobby)
    expect(window.locator("html")).to_have_attribute("data-music", "true")
    fake_gateway.announce("display", "match.started", loud.voting)
    expect(window.locator("html")).to_have_attribute("data-music", "false")
    assert len([url for url in asked if "lobby-music" in url]) == 1
