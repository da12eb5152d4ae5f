"""Sound of the display, measured where it reaches the speakers, and music in the lobby."""

import io
import time
import wave

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Show
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import MIDDLE, Scene, show_scene, with_options
from tests.e2e.screens import PROJECTOR, TIMEOUT_MS
from tests.e2e.scripted_match import ScriptedMatch

# Adds a meter beside each connection to the speakers.
METER_JS = """() => {
  const meters = [];
  const {connect} = AudioNode.prototype;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to === this.context.destination && this.context instanceof AudioContext) {
      const meter = new AnalyserNode(this.context);
      connect.call(this, meter);
      meters.push(meter);
    }
    return connect.call(this, to, ...rest);
  };
  const samples = new Float32Array(2048);
  const measure = (meter) => {
    if (meter.context.state !== "running") return 0;
    meter.getFloatTimeDomainData(samples);
    return Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
  };
  window.loudness = () => Math.max(0, ...meters.map(measure));
  window.listen = (ms) => new Promise((done) => {
    const [until, recorded] = [Date.now() + ms, []];
    const timer = setInterval(() => {
      recorded.push(loudness());
      if (Date.now() >= until) done(Math.max(...recorded), clearInterval(timer));
    }, 20);
  });
}"""
HIDE_JS = """(hidden) => {
  Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
}"""
# Renders sounds without a clock, by the script that the page has loaded; returns their peak and mean volume.
RENDER_JS = """async ({url, motifs, bed}) => {
  const {Instrument} = await import(url);
  const audio = new OfflineAudioContext(1, 3 * 44100, 44100);
  const instrument = new Instrument(audio);
  if (bed) instrument.setBed(bed, 0);
  for (const motif of motifs) instrument.play(motif, 0.05);
  const samples = (await audio.startRendering()).getChannelData(0);
  const peak = samples.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return [peak, Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length)];
}"""
SOUND_URL_JS = """() =>
  performance.getEntriesByType("resource").find(({name}) => name.includes("/sound-"))?.name"""
STORED_JS = "() => localStorage.getItem('crowdgame:sound')"
AUDIBLE, SILENT = 3e-4, 3e-5
MOTIFS = ("seal", "conflict", "close", "drop", "token", "block", "win")
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


@pytest.fixture
def quiet_wall(window: Page, show: Show) -> Page:
    window.set_viewport_size(PROJECTOR)
    window.add_init_script(f"({METER_JS})()")
    show("display", MIDDLE.voting)
    window.wait_for_load_state("networkidle")
    return window


@pytest.fixture
def wall(quiet_wall: Page) -> Page:
    """A display whose sound was turned on."""
    quiet_wall.keyboard.press("m")
    expect_sound(quiet_wall, "on")
    wait_for_sound(quiet_wall)
    return quiet_wall


def expect_sound(wall: Page, state: str) -> None:
    expect(wall.locator(".sound")).to_have_attribute("data-sound", state)


def wait_for_sound(wall: Page) -> None:
    wall.wait_for_function("(least) => loudness() > least", arg=AUDIBLE)


def wait_for_silence(wall: Page) -> None:
    """Wait until a whole recording is silent: while sound fades out, single samples are, too."""
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while loudest(wall) >= SILENT:
        assert time.monotonic() < deadline, "the sound does not end"


def loudest(wall: Page) -> float:
    """The greatest loudness of 0.4 s."""
    return float(wall.evaluate("() => listen(400)"))


def render(wall: Page, *motifs: str, bed: float = 0) -> tuple[float, float]:
    url = wall.evaluate(SOUND_URL_JS)
    peak, mean = wall.evaluate(RENDER_JS, {"url": url, "motifs": motifs, "bed": bed})
    return peak, mean


def test_display_is_silent_until_sound_is_turned_on(quiet_wall: Page) -> None:
    quiet_wall.mouse.click(500, 300)
    expect_sound(quiet_wall, "off")
    assert loudest(quiet_wall) == 0
    assert quiet_wall.evaluate(SOUND_URL_JS) is None
    quiet_wall.keyboard.press("m")
    wait_for_sound(quiet_wall)
    assert quiet_wall.evaluate(STORED_JS) == "on"


@pytest.mark.parametrize("gesture", ["Shift", "m", "click"])
def test_reloaded_display_waits_for_a_gesture(wall: Page, gesture: str) -> None:
    wall.reload(wait_until="networkidle")
    expect_sound(wall, "waiting")
    assert loudest(wall) == 0
    control = wall.get_by_role("button", name="Press any key for sound")
    expect(control).to_be_visible()
    if gesture == "click":
        control.click()
    else:
        wall.keyboard.press(gesture)
    expect_sound(wall, "on")
    wait_for_sound(wall)


@pytest.mark.parametrize("press", ["key", "button", "focus"])
def test_muted_display_is_silent(wall: Page, press: str) -> None:
    if press == "key":
        wall.keyboard.press("m")
    elif press == "button":
        wall.get_by_role("button", name="Sound is on").click()
    else:
        wall.keyboard.press("Tab")
        expect(wall.locator(".sound")).to_be_focused()
        wall.keyboard.press("Space")
    expect_sound(wall, "off")
    wait_for_silence(wall)
    assert wall.evaluate(STORED_JS) == "off"
    expect(wall.locator(".presenter-message")).to_have_count(0)


def test_organizer_turns_off_the_sound_of_every_display(wall: Page, fake_gateway: FakeGateway) -> None:
    quiet = with_options(MIDDLE, hidden=("sound",))
    fake_gateway.announce("display", "event.edited", quiet.voting)
    wait_for_silence(wall)
    expect(wall.locator(".sound")).to_have_count(0)
    wall.keyboard.press("m")
    assert wall.evaluate(STORED_JS) == "on"
    fake_gateway.announce("display", "event.edited", MIDDLE.voting)
    expect_sound(wall, "on")
    wait_for_sound(wall)


def test_sound_turned_on_for_all_starts_with_a_key_at_the_latest(
    show: Show, fake_gateway: FakeGateway
) -> None:
    page = show("display", ScriptedMatch().lobby, "lobby")
    expect_sound(page, "off")
    fake_gateway.announce("display", "event.edited", with_options(ScriptedMatch(), sound_on=True).lobby)
    expect(page.locator(".sound")).not_to_have_attribute("data-sound", "off")
    page.keyboard.press("Shift")
    expect_sound(page, "on")


def test_hidden_tab_is_silent(wall: Page) -> None:
    wall.evaluate(HIDE_JS, True)
    wait_for_silence(wall)
    wall.evaluate(HIDE_JS, False)
    wait_for_sound(wall)


def test_motifs_are_audible_and_limited_and_bed_is_low(wall: Page) -> None:
    for motif in MOTIFS:
        peak, mean = render(wall, motif)
        assert peak > 0.1, motif
        assert mean > AUDIBLE, motif
    assert 0.1 < render(wall, *MOTIFS * 3, bed=1)[0] < 0.7
    means = [render(wall, bed=level)[1] for level in (0.08, 0.2, 0.6, 1)]
    assert means == sorted(means)
    assert means[0] > AUDIBLE
    assert means[-1] < render(wall, "win")[1]


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
