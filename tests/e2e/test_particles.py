"""Votes as particles on the display, in a browser with WebGL2 in software."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserType, Page, expect

from deploy.laptop.system_tools import find_browser
from tests.e2e.fake_gateway import FakeGateway, running_fake_gateway
from tests.e2e.particle_pages import CONNECTED, expect_particles, lit_pixels, show_particles, with_votes
from tests.e2e.scene_setup import MIDDLE, with_options
from tests.e2e.screens import BROWSER_ARGS, PROJECTOR
from tests.e2e.scripted_match import hands
from tests.e2e.visible_text import NEXT_FRAME_JS
from voting.protocol import EventState, TeamCounted, TurnoutCounted

# A reveal this many times slower stands still for a picture.
SLOWER = 3_000
# The countdown shows the same second in all pictures, even if the clocks differ by one step.
LONG_WINDOW_MS = 19_000
# The button disappears a while after the pointer has moved, by real time.
HIDE_SOUND_BUTTON_JS = "document.querySelector('.sound').style.display = 'none'"
# For so long, a display that must draw no particles is watched.
NO_PARTICLES_MS = 1_000
EVEN = (100, 200, 300, 1000, 500, 400, 0)
UNEVEN = ((3, 0, 9, 1, 4, 2, 1), (100, 1200, 300, 1000, 500, 400, 0))
HIDDEN_BALLOTS = (
    ((60, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 60)),
    ((1, 2, 3, 48, 3, 2, 1), (10, 10, 10, 10, 10, 10, 0)),
    ((0, 30, 0, 30, 0, 0, 0), (7, 9, 11, 13, 11, 6, 3)),
)
LOSE_JS = """() => {
  window.lost = document.querySelector(".particles").getContext("webgl2").getExtension("WEBGL_lose_context");
  window.lost.loseContext();
}"""
# A page's clock that only moves when `window.at`, in milliseconds, is changed.
STOPPED_CLOCK_JS = """(began) => {
  window.at = 0;
  Date.now = () => began + window.at;
  performance.now = () => window.at;
}"""


@pytest.fixture(scope="session")
def webgl_browser(browser_type: BrowserType) -> Iterator[Browser]:
    """Unlike the other tests' browser, this one renders WebGL, in software."""
    browser = browser_type.launch(executable_path=find_browser(), args=list(BROWSER_ARGS))
    yield browser
    browser.close()


@pytest.fixture
def wall(webgl_browser: Browser) -> Iterator[Page]:
    context = webgl_browser.new_context(viewport=PROJECTOR)
    yield context.new_page()
    context.close()


def voting(**options: Any) -> Callable[[int], EventState]:
    return lambda now: with_options(MIDDLE, **options).voting(now, LONG_WINDOW_MS)


def test_every_vote_of_both_teams_is_visible(wall: Page, fake_gateway: FakeGateway) -> None:
    show_particles(wall, fake_gateway, voting()(fake_gateway.now()), voted=(200, 50))
    lit = lit_pixels(wall)
    assert lit["left"] > 3 * lit["right"] > 0


@pytest.mark.nightly
def test_particles_stay_on_the_sea_of_a_resized_wall(wall: Page, fake_gateway: FakeGateway) -> None:
    """Both sizes have more lines than the canvas, whose own size stays the same."""
    wall.set_viewport_size({"width": 2048, "height": 1152})
    show_particles(wall, fake_gateway, voting()(fake_gateway.now()), voted=(200, 50))
    assert lit_pixels(wall)["left"] > 0
    wall.set_viewport_size({"width": 2304, "height": 1296})
    wall.wait_for_function(
        "Math.abs(document.querySelector('.particles').getBoundingClientRect().bottom - 1296) < 2"
    )


@pytest.mark.parametrize(("red", "yellow"), [(EVEN, EVEN), UNEVEN])
def test_piles_are_as_high_as_bars(
    wall: Page, fake_gateway: FakeGateway, red: tuple[int, ...], yellow: tuple[int, ...]
) -> None:
    scripted = with_votes(MIDDLE, red, yellow)
    show_particles(wall, fake_gateway, scripted.reveal(fake_gateway.now(), "picks", SLOWER))
    bars = lit_pixels(wall)["bars"]
    assert len(bars) == 14
    for (bar, pile), votes in zip(bars, (*red, *yellow), strict=True):
        if votes:
            assert -3 <= pile - bar <= 14


@pytest.mark.parametrize(
    ("options", "left"),
    [({"hidden": ("turnout",)}, False), (hands("yellow"), True)],
    ids=["turnout", "hands"],
)
def test_hidden_numbers_have_no_particles(
    wall: Page, fake_gateway: FakeGateway, options: dict[str, Any], left: bool
) -> None:
    show_particles(wall, fake_gateway, voting(**options)(fake_gateway.now()), voted=(90, 80), works=left)
    lit = lit_pixels(wall) if left else lit_pixels(wall, NO_PARTICLES_MS)
    assert (lit["left"] > 0, lit["right"]) == (left, 0)


def test_hidden_tally_has_no_piles(wall: Page, fake_gateway: FakeGateway) -> None:
    scripted = with_options(with_votes(MIDDLE, *UNEVEN), hidden=("tally",))
    show_particles(wall, fake_gateway, scripted.reveal(fake_gateway.now(), "picks", SLOWER))
    lit = lit_pixels(wall, NO_PARTICLES_MS)
    assert lit["left"] == lit["right"] == 0


@pytest.mark.nightly
def test_lost_context_is_restored(wall: Page, fake_gateway: FakeGateway) -> None:
    show_particles(wall, fake_gateway, voting()(fake_gateway.now()), voted=(200, 50))
    wall.evaluate(LOSE_JS)
    expect_particles(wall, False)
    expect(wall.locator(".rising")).to_have_count(2)
    wall.evaluate("() => window.lost.restoreContext()")
    expect_particles(wall, True)
    assert lit_pixels(wall)["left"] > 0


def test_reduced_motion_shows_bars_in_place(wall: Page, fake_gateway: FakeGateway) -> None:
    wall.emulate_media(reduced_motion="reduce")
    scripted = with_votes(MIDDLE, *UNEVEN)
    show_particles(wall, fake_gateway, scripted.reveal(fake_gateway.now(), "votes", SLOWER), works=False)
    expect(wall.locator(".particles, .pour").and_(wall.locator(":visible"))).to_have_count(0)


@pytest.mark.nightly
def test_display_without_webgl_draws_drops(browser: Browser, fake_gateway: FakeGateway) -> None:
    page = browser.new_context(viewport=PROJECTOR).new_page()
    scripted = with_votes(MIDDLE, *UNEVEN)
    show_particles(page, fake_gateway, scripted.reveal(fake_gateway.now(), "votes", SLOWER), works=False)
    expect(page.locator(".pour")).to_be_visible()
    page.context.close()


@pytest.mark.nightly
def test_pictures_before_reveal_are_the_same_for_all_ballots(webgl_browser: Browser) -> None:
    """Even if the counts of a secret vote reached the page. Clocks of page and server are moved by hand."""

    def pictures(page: Page, every_ms: int, number: int) -> list[str]:
        """Digests: pytest would take minutes to compare the pictures themselves."""
        taken = []
        for _ in range(number):
            fake_gateway.advance(every_ms)
            page.evaluate("(ms) => { window.at += ms; }", every_ms)
            page.evaluate(HIDE_SOUND_BUTTON_JS)
            page.evaluate(NEXT_FRAME_JS)
            taken.append(sha256(page.screenshot(animations="disabled")).hexdigest())
        return taken

    turns = []
    with running_fake_gateway(rate=0) as fake_gateway:
        for red, yellow in HIDDEN_BALLOTS:
            page = webgl_browser.new_context(viewport=PROJECTOR).new_page()
            page.add_init_script(f"({STOPPED_CLOCK_JS})({fake_gateway.now()})")
            show_particles(page, fake_gateway, voting()(fake_gateway.now()), voted=(20, 30))
            voted = (sum(red), sum(yellow))
            turnout = TurnoutCounted(turn=MIDDLE.turn_id, connected=CONNECTED, voted=voted)
            fake_gateway.say("display", turnout, TeamCounted(turn=MIDDLE.turn_id, counts=red))
            expect(page.locator('[data-turnout="1"]')).to_have_text(str(sum(red)))
            before = pictures(page, 150, 4)
            after = with_votes(MIDDLE.play(4, 5), red, yellow).reveal(fake_gateway.now(), "votes", SLOWER)
            fake_gateway.say("display", fake_gateway.change("turn.revealed", after))
            expect(page.locator("body")).to_have_attribute("data-phase", "reveal")
            turns.append((before, pictures(page, 100, 1)))
            page.context.close()
    (before, during), *others = turns
    assert len(set(before)) == len(before), "the particles do not move"
    for other_before, other_during in others:
        assert other_before == before
        assert other_during != during
