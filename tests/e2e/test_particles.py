"""Votes as particles on the display, in a browser with WebGL2 in software."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserType, Page, expect

from deploy.laptop.system_tools import find_browser
from tests.e2e.fake_gateway import FakeGateway, running_fake_gateway
from tests.e2e.page_checks import NEXT_FRAME_JS
from tests.e2e.scene_setup import CODE, MIDDLE, State, with_options
from tests.e2e.screens import BROWSER_ARGS, PROJECTOR, TIMEOUT_MS
from tests.e2e.scripted_match import ScriptedMatch, hands
from tests.e2e.scripts import page_script
from voting.protocol import TeamCounted, TurnoutCounted

Votes = tuple[tuple[int, ...], tuple[int, ...]]
CONNECTED = (200, 200)
# A reveal this many times slower stands still for a picture.
SLOWER = 3_000
EVEN = (100, 200, 300, 1000, 500, 400, 0)
UNEVEN = ((3, 0, 9, 1, 4, 2, 1), (100, 1200, 300, 1000, 500, 400, 0))
HIDDEN_BALLOTS = (
    ((60, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 60)),
    ((1, 2, 3, 48, 3, 2, 1), (10, 10, 10, 10, 10, 10, 0)),
    ((0, 30, 0, 30, 0, 0, 0), (7, 9, 11, 13, 11, 6, 3)),
)


@pytest.fixture(scope="session")
def webgl_browser(browser_type: BrowserType) -> Iterator[Browser]:
    """Unlike the other tests' browser, this one renders WebGL, in software."""
    browser = browser_type.launch(executable_path=find_browser(), args=BROWSER_ARGS)
    yield browser
    browser.close()


@pytest.fixture
def wall(webgl_browser: Browser) -> Iterator[Page]:
    with webgl_browser.new_context(viewport=PROJECTOR) as context:
        yield context.new_page()


def voting(**options: Any) -> State:
    """The countdown shows the same second in all pictures, even if the clocks differ by one step."""
    return lambda now: with_options(MIDDLE, **options).voting(now, 19_000)


def reveal(votes: Votes, step: str, after: ScriptedMatch = MIDDLE, **options: Any) -> State:
    return lambda now: with_options(after.with_votes(*votes), **options).reveal(now, step, SLOWER)


def show_particles(
    page: Page,
    fake_gateway: FakeGateway,
    shown: State,
    voted: tuple[int, int] = (200, 50),
    works: bool = True,
) -> None:
    state = shown(fake_gateway.now())
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
    found: dict[str, Any] = page.evaluate(page_script("read_pixels"), patience_ms)
    return found


def test_every_vote_of_both_teams_is_visible(wall: Page, fake_gateway: FakeGateway) -> None:
    show_particles(wall, fake_gateway, voting())
    lit = lit_pixels(wall)
    assert lit["left"] > 3 * lit["right"] > 0


@pytest.mark.parametrize("votes", [(EVEN, EVEN), UNEVEN])
def test_piles_are_as_high_as_bars(wall: Page, fake_gateway: FakeGateway, votes: Votes) -> None:
    show_particles(wall, fake_gateway, reveal(votes, "picks"))
    bars = lit_pixels(wall)["bars"]
    heights = [pile - bar for (bar, pile), count in zip(bars, sum(votes, ()), strict=True) if count]
    assert all(-3 <= height <= 14 for height in heights)


@pytest.mark.parametrize(
    ("shown", "works", "left"),
    [
        pytest.param(voting(hidden=("turnout",)), False, False, id="turnout"),
        pytest.param(voting(**hands("yellow")), True, True, id="hands"),
        pytest.param(reveal(UNEVEN, "picks", hidden=("tally",)), True, False, id="tally"),
    ],
)
def test_hidden_numbers_have_no_particles(
    wall: Page, fake_gateway: FakeGateway, shown: State, works: bool, left: bool
) -> None:
    show_particles(wall, fake_gateway, shown, works=works)
    lit = lit_pixels(wall) if left else lit_pixels(wall, patience_ms=1_000)
    assert (lit["left"] > 0, lit["right"]) == (left, 0)


@pytest.mark.nightly
def test_particles_return_after_a_lost_context_and_a_resize(wall: Page, fake_gateway: FakeGateway) -> None:
    """Both sizes have more lines than the canvas, whose own size stays the same."""
    wall.set_viewport_size({"width": 2048, "height": 1152})
    show_particles(wall, fake_gateway, voting())
    wall.evaluate(page_script("lose"))
    expect_particles(wall, False)
    expect(wall.locator(".rising")).to_have_count(2)
    wall.evaluate("() => window.lost.restoreContext()")
    expect_particles(wall, True)
    assert lit_pixels(wall)["left"] > 0
    wall.set_viewport_size({"width": 2304, "height": 1296})
    bottom = "document.querySelector('.particles').getBoundingClientRect().bottom"
    wall.wait_for_function(f"Math.abs({bottom} - 1296) < 2")


def test_display_draws_drops_without_webgl_and_bars_with_reduced_motion(
    window: Page, wall: Page, fake_gateway: FakeGateway
) -> None:
    window.set_viewport_size(PROJECTOR)
    wall.emulate_media(reduced_motion="reduce")
    for page in (window, wall):
        show_particles(page, fake_gateway, reveal(UNEVEN, "votes"), works=False)
    expect(window.locator(".pour")).to_be_visible()
    expect(wall.locator(".particles, .pour").and_(wall.locator(":visible"))).to_have_count(0)


@pytest.mark.nightly
def test_pictures_before_reveal_are_the_same_for_all_ballots(webgl_browser: Browser) -> None:
    """Even if the counts of a secret vote reached the page. Clocks of page and server are moved by hand."""

    def pictures(page: Page, every_ms: int, number: int) -> list[str]:
        """Digests: pytest would take minutes to compare the pictures themselves."""
        taken = []
        for _ in range(number):
            fake_gateway.advance(every_ms)
            page.evaluate("(ms) => { window.at += ms; }", every_ms)
            # The button disappears a while after the pointer has moved, by real time.
            page.evaluate("document.querySelector('.sound').style.display = 'none'")
            page.evaluate(NEXT_FRAME_JS)
            taken.append(sha256(page.screenshot(animations="disabled")).hexdigest())
        return taken

    turns = []
    with running_fake_gateway(rate=0) as fake_gateway:
        for votes in HIDDEN_BALLOTS:
            page = webgl_browser.new_context(viewport=PROJECTOR).new_page()
            page.add_init_script(f"({page_script('stopped_clock')})({fake_gateway.now()})")
            show_particles(page, fake_gateway, voting(), voted=(20, 30))
            voted = (sum(votes[0]), sum(votes[1]))
            turnout = TurnoutCounted(turn=MIDDLE.turn_id, connected=CONNECTED, voted=voted)
            for message in (turnout, TeamCounted(turn=MIDDLE.turn_id, counts=votes[0])):
                fake_gateway.say("display", message)
            expect(page.locator('[data-turnout="1"]')).to_have_text(str(voted[0]))
            before = pictures(page, 150, 4)
            fake_gateway.announce("display", "turn.revealed", reveal(votes, "votes", MIDDLE.play(4, 5)))
            expect(page.locator("body")).to_have_attribute("data-phase", "reveal")
            turns.append((before, pictures(page, 100, 1)))
            page.context.close()
    (before, during), *others = turns
    assert len(set(before)) == len(before), "the particles do not move"
    for other_before, other_during in others:
        assert other_before == before
        assert other_during != during
