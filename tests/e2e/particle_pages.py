"""A browser with WebGL2, and what the particles of a display look like in it."""

from dataclasses import replace
from typing import Any

import msgspec
from playwright.sync_api import Page, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import CODE
from tests.e2e.screens import TIMEOUT_MS
from tests.e2e.scripted_match import ScriptedMatch
from voting.counting.tally import SideTally
from voting.protocol import EventState, TurnoutCounted

CONNECTED = (200, 200)
# A frame's pixels can be read only in that frame, after the page has drawn it: the request of the frame must
# follow the page's own, which is made in the frame before. Some frames draw nothing, and without a graphics
# card the first picture takes long, since the shaders are compiled for it: the fullest of several counts.
READ_PIXELS_JS = """async (patienceMs) => {
  const canvas = document.querySelector(".particles");
  const {width, height} = canvas;
  const pen = new OffscreenCanvas(width, height).getContext("2d", {willReadFrequently: true});
  let data = null;
  const isLit = (x, y) => data[4 * (y * width + x) + 3] > 40;
  const count = (from, to) => {
    let sum = 0;
    for (let y = 0; y < height; y++) for (let x = from; x < to; x++) sum += isLit(x, y);
    return sum;
  };
  const top = (from, to) => {
    for (let y = 0; y < height; y++) for (let x = from; x < to; x++) if (isLit(x, y)) return y;
    return height;
  };
  const read = () => {
    pen.clearRect(0, 0, width, height);
    pen.drawImage(canvas, 0, 0);
    ({data} = pen.getImageData(0, 0, width, height));
    const bars = [...document.querySelectorAll(".bars rect")].map((bar) => {
      const box = bar.getBoundingClientRect();
      return [box.top, top(Math.ceil(box.left) + 1, Math.floor(box.right) - 1)];
    });
    return {left: count(0, width / 2), right: count(width / 2, width), bars};
  };
  const next = () => new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(read()))));
  const isFuller = (one, other) => one.left + one.right > other.left + other.right;
  const until = performance.now() + patienceMs;
  let fullest = await next();
  while (fullest.left + fullest.right === 0 && performance.now() < until) fullest = await next();
  for (let frame = 0; frame < 8; frame++) {
    const frameRead = await next();
    if (isFuller(frameRead, fullest)) fullest = frameRead;
  }
  return fullest;
}"""


def show_particles(
    page: Page,
    fake_gateway: FakeGateway,
    state: EventState,
    voted: tuple[int, int] = (0, 0),
    works: bool = True,
) -> None:
    """Open the display; wait until it is known whether it draws particles."""
    turn = state.match.turn.id if state.match and state.match.turn else None
    fake_gateway.show(state, more=(TurnoutCounted(turn=turn, connected=CONNECTED, voted=voted),))
    page.goto(f"{fake_gateway.http}/display/{CODE}", wait_until="networkidle")
    expect_particles(page, works)


def expect_particles(page: Page, works: bool) -> None:
    word = "true" if works else "false"
    expect(page.locator(".stage")).to_have_attribute("data-particles", word, timeout=4 * TIMEOUT_MS)


def lit_pixels(page: Page, patience_ms: int = TIMEOUT_MS) -> dict[str, Any]:
    """The lit pixels in each half of the canvas; per bar its top edge and that of the particles in it.

    Waits up to `patience_ms` for a picture with lit pixels.
    """
    found: dict[str, Any] = page.evaluate(READ_PIXELS_JS, patience_ms)
    return found


def with_votes(scripted: ScriptedMatch, red: tuple[int, ...], yellow: tuple[int, ...]) -> ScriptedMatch:
    """The same match; its last turn has these votes."""
    last = scripted.played[-1]
    counted = replace(last, red=count(last.red, red), yellow=count(last.yellow, yellow))
    return replace(scripted, played=(*scripted.played[:-1], counted))


def count(tally: SideTally, counts: tuple[int, ...]) -> SideTally:
    return msgspec.structs.replace(tally, counts=counts, ballots=sum(counts))
