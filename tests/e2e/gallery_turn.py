"""One turn on the display as an animation: the last votes arrive, and both teams pick the same column."""

import io
from collections.abc import Iterator

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize

from tests.e2e.fake_gateway import FakeGateway, running_fake_gateway
from tests.e2e.scene_setup import CODE, MIDDLE, with_terms
from voting.protocol import TurnoutCounted

FRAME_MS = 100
SIZE: ViewportSize = {"width": 960, "height": 540}
QUALITY = 35
RED, YELLOW = (31, 22, 196, 64, 17, 48, 12), (25, 70, 149, 58, 41, 33, 9)
CONNECTED = (412, 405)
AFTER = with_terms(MIDDLE, pace="brisk").play(3, 3).with_votes(RED, YELLOW)
VOTING_MS, AFTERWARDS_MS = 3_000, 800
# The votes of both teams when the animation begins, and by the milliseconds before the deadline.
FIRST = (180, 171)
ARRIVED = {2_900: (231, 214), 1_900: (288, 262), 900: (347, 331), 100: (sum(RED), sum(YELLOW))}
READY = '.stage[data-particles="true"]'
VOTES_PER_S = 111
SETTLING_STEPS = 40
SOON_MS = 60
# The page's clock stands still between frames. Animations of the style sheet are moved by hand.
ANIMATE_JS = """(ms) => {
  window.moments ??= new WeakMap();
  for (const animation of document.getAnimations()) {
    const known = moments.get(animation);
    const at = known === undefined ? 0 : known + ms;
    moments.set(animation, at);
    if (at < animation.effect.getComputedTiming().endTime) {
      animation.pause();
      animation.currentTime = at;
    } else animation.finish();
  }
}"""


def turn_animation(browser: Browser) -> bytes:
    """An animated WebP. Its frames do not depend on the speed of the machine."""
    frames = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in turn_frames(browser)]
    animation = io.BytesIO()
    options = {"duration": FRAME_MS, "loop": 0, "quality": QUALITY, "method": 4, "minimize_size": True}
    frames[0].save(animation, "WEBP", save_all=True, append_images=frames[1:], **options)
    return animation.getvalue()


def turn_frames(browser: Browser) -> Iterator[bytes]:
    with running_fake_gateway(rate=0) as fake_gateway:
        page = browser.new_context(viewport=SIZE).new_page()
        show_votes(page, fake_gateway)
        deadline = fake_gateway.now() + VOTING_MS
        for left_ms in range(VOTING_MS, -AFTER.steps.over - AFTERWARDS_MS, -FRAME_MS):
            if left_ms in ARRIVED:
                fake_gateway.say("display", turnout(ARRIVED[left_ms]))
            if left_ms == 0:
                fake_gateway.announce("display", "turn.revealed", lambda _: AFTER.reveal(deadline))
            step(page, fake_gateway)
            yield page.screenshot()
        page.context.close()


def show_votes(page: Page, fake_gateway: FakeGateway) -> None:
    """Open the display while votes arrive, and let it draw the first ones."""
    page.clock.install(time=fake_gateway.now() / 1000)
    page.clock.pause_at(fake_gateway.now() / 1000)
    state = MIDDLE.voting(fake_gateway.now(), VOTING_MS + SETTLING_STEPS * FRAME_MS)
    fake_gateway.show(state, more=(turnout(FIRST),))
    page.goto(f"{fake_gateway.http}/display/{CODE}", wait_until="networkidle")
    for _ in range(SETTLING_STEPS):
        step(page, fake_gateway)
    assert page.locator(READY).count(), "the display draws no votes"


def turnout(voted: tuple[int, int]) -> TurnoutCounted:
    return TurnoutCounted(turn=MIDDLE.turn_id, connected=CONNECTED, voted=voted, votes_per_s=VOTES_PER_S)


def step(page: Page, fake_gateway: FakeGateway) -> None:
    page.wait_for_timeout(SOON_MS)  # until messages have arrived
    fake_gateway.advance(FRAME_MS)
    page.clock.run_for(FRAME_MS)
    page.evaluate(ANIMATE_JS, FRAME_MS)
