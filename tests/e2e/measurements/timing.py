"""Delays on phone, console and display; the display's motion, and its memory over thousands of turns."""

import random
from collections.abc import Callable
from functools import partial
from statistics import median, quantiles

from playwright.sync_api import Browser, Page, ViewportSize

from games.engine.game import SIDES
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.measurements import dev_tools
from tests.e2e.measurements.dev_tools import SLOW_3G, SLOW_CPU, slow_down, traced_frames
from tests.e2e.scene_setup import CODE, CONFLICT, MIDDLE, with_terms
from tests.e2e.screens import PHONE, PROJECTOR, TABLET, TIMEOUT_MS, sign_in
from tests.e2e.scripted_match import GAME, ScriptedMatch
from tests.e2e.scripts import page_script
from tests.server import Server
from voting.protocol import TurnoutCounted

LONG_WINDOW, LEFT_MS = with_terms(MIDDLE, window_s=3600), 1_800_000
RATE, WINDOW_S, TURNS_BETWEEN_SAMPLES = 60, 2, 200
SPAN_S, WARM_MS = 4, 2_500
BIG_SCREEN: ViewportSize = {"width": 1920, "height": 1080}
FOUND_JS = "() => [performance.getEntriesByName('first-contentful-paint')[0].startTime, window.board]"


def usable_after_s(browser: Browser, fake_gateway: FakeGateway) -> float:
    """Seconds for a new phone with a preloaded event and seat: the median of five.

    No test code runs in the page meanwhile.
    """
    seconds = []
    for _ in range(5):
        page = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
        slow_down(page, network=SLOW_3G)
        page.add_init_script(f"({page_script('usable')})()")
        fake_gateway.page = LONG_WINDOW.voting(fake_gateway.now(), LEFT_MS)
        fake_gateway.show(fake_gateway.page)
        with page.expect_console_message(lambda message: message.text == "usable", timeout=4 * TIMEOUT_MS):
            page.goto(f"{fake_gateway.http}/{CODE}", timeout=4 * TIMEOUT_MS, wait_until="commit")
        seconds.append(float(page.evaluate("() => window.usable")) / 1000)
        page.context.close()
    fake_gateway.page = None
    return median(seconds)


def tap_ms(browser: Browser, fake_gateway: FakeGateway) -> float:
    """Milliseconds from a touch until the column is drawn as pressed, which 95 % of 30 taps don't exceed."""
    page = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
    page.add_init_script(f"({page_script('pressed')})()")
    fake_gateway.show(LONG_WINDOW.voting(fake_gateway.now(), LEFT_MS))
    page.goto(f"{fake_gateway.http}/{CODE}")
    page.wait_for_selector("[data-column]:enabled")
    boxes = [page.locator(f'[data-column="{column}"]').bounding_box() for column in range(1, 8)]
    for number in range(30):
        box = boxes[number % 7]
        assert box
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_timeout(400)
    taps: list[float] = page.evaluate("() => window.taps")
    page.context.close()
    return quantiles(taps, n=20)[-1]


def click_delay_ms(browser: Browser, server: Server) -> float:
    """Milliseconds from a click to the display's frame with its effect: the second longest of 100."""
    event = server.ask("event", owner="presser", lobby="open", window_s=3600)
    server.ask("play_to", event_id=event["id"], picks=[])
    console, display = (browser.new_context(viewport=size).new_page() for size in (TABLET, PROJECTOR))
    console.add_init_script(f"({page_script('clicked')})()")
    display.add_init_script(f"({page_script('shown')})()")
    sign_in(console, server, "presser")
    console.goto(f"{server.http}/console/{event['code']}/")
    display.goto(f"{server.http}/display/{event['code']}")
    display.wait_for_selector("body[data-phase=voting]")
    taken = []
    for action, phase in (("turn.pause", "paused"), ("turn.resume", "voting")) * 50:
        display.evaluate("() => { window.shown = {}; }")
        console.locator(f'[data-action="{action}"]').first.click()
        display.wait_for_function("(phase) => window.shown[phase]", arg=phase)
        shown = display.evaluate("(phase) => window.shown[phase]", phase)
        taken.append(shown - console.evaluate("() => window.clickedAt"))
    for page in (console, display):
        page.context.close()
    return float(sorted(taken)[-2])


def first_picture_ms(browser: Browser, fake_gateway: FakeGateway) -> tuple[float, float]:
    """Milliseconds until anything, and until the board is drawn, on a slow network."""
    page = browser.new_context(viewport=PROJECTOR).new_page()
    slow_down(page, 1, SLOW_3G)
    page.add_init_script(f"({page_script('board')})()")
    fake_gateway.page = MIDDLE.voting(fake_gateway.now())
    fake_gateway.show(fake_gateway.page)
    with page.expect_console_message(lambda message: message.text == "board", timeout=4 * TIMEOUT_MS):
        page.goto(f"{fake_gateway.http}/display/{CODE}", timeout=4 * TIMEOUT_MS, wait_until="commit")
    paint, board = page.evaluate(FOUND_JS)
    page.context.close()
    fake_gateway.page = None
    return paint, board


def frames_per_s(browser: Browser, fake_gateway: FakeGateway, connected: int, slower: int = 1) -> float:
    """Frames per second while votes arrive, up to all of two teams of this size."""
    page = browser.new_context(viewport=BIG_SCREEN).new_page()
    slow_down(page, slower)

    def voted(share: float) -> TurnoutCounted:
        voted = int(connected * share)
        return TurnoutCounted(turn=LONG_WINDOW.turn_id, connected=(connected,) * 2, voted=(voted, voted))

    def arrive() -> None:
        for second in range(1, SPAN_S + 1):
            fake_gateway.say("display", voted(0.9 + 0.1 * second / SPAN_S))
            page.wait_for_timeout(1_000)

    fake_gateway.show(LONG_WINDOW.voting(fake_gateway.now(), LEFT_MS), more=(voted(0.9),))
    page.goto(f"{fake_gateway.http}/display/{CODE}")
    drawn = '.stage[data-particles="true"]' if connected else "body[data-phase=voting]"
    page.wait_for_selector(drawn, timeout=4 * TIMEOUT_MS)
    page.wait_for_timeout(WARM_MS)
    shown = dev_tools.count_shown(traced_frames(page, arrive, (0, SPAN_S)))
    page.context.close()
    return shown / SPAN_S


def dropped_frames(browser: Browser, fake_gateway: FakeGateway) -> float:
    """The share of dropped frames until the token has moved, on a slow processor."""
    page = browser.new_context(viewport=BIG_SCREEN).new_page()
    slow_down(page, SLOW_CPU)
    shares = []
    for scripted in (MIDDLE, CONFLICT) * 3:
        fake_gateway.show(scripted.voting(fake_gateway.now()))
        page.goto(f"{fake_gateway.http}/display/{CODE}")
        page.wait_for_selector("body[data-phase=voting]")
        page.wait_for_timeout(WARM_MS)
        span_s = (scripted.steps.drops / 1000, scripted.steps.lines / 1000)
        frames = traced_frames(page, reveal(page, fake_gateway, scripted), span_s)
        shares.append(dev_tools.dropped_share(frames))
    page.context.close()
    return sum(shares) / len(shares)


def reveal(page: Page, fake_gateway: FakeGateway, scripted: ScriptedMatch) -> Callable[[], None]:
    def act() -> None:
        fake_gateway.announce("display", "turn.revealed", scripted.reveal)
        page.wait_for_timeout(scripted.steps.over)

    return act


def soak(browser: Browser, fake_gateway: FakeGateway, turns: int) -> list[tuple[int, int]]:
    """The memory in the lobby between matches, at least twice. `fake_gateway` runs RATE times as fast."""
    page = browser.new_context(viewport=PROJECTOR).new_page()
    dev_tools.speed_up(page, RATE)
    fake_gateway.show(ScriptedMatch().lobby(fake_gateway.now()))
    page.goto(f"{fake_gateway.http}/display/{CODE}")
    page.wait_for_selector("body[data-phase=lobby]")
    chance, shown, number = random.Random(1), 0, 0
    samples: list[tuple[int, int]] = []
    while shown < turns or len(samples) < 2:
        number += 1
        shown += play(fake_gateway, page, number, chance)
        if shown >= min(TURNS_BETWEEN_SAMPLES, turns // 2) * (len(samples) + 1):
            fake_gateway.announce("display", "event.edited", ScriptedMatch().lobby)
            page.wait_for_selector("body[data-phase=lobby]", timeout=4 * TIMEOUT_MS)
            page.wait_for_timeout(1_000)
            samples.append(dev_tools.idle_memory(page))
    page.context.close()
    return samples


def play(fake_gateway: FakeGateway, page: Page, number: int, chance: random.Random) -> int:
    """Send a match of random picks as a gateway does; return the number of turns."""
    scripted = ScriptedMatch(match=number, terms={"window_s": WINDOW_S})
    fake_gateway.announce("display", "match.started", partial(scripted.voting, left_ms=WINDOW_S * 1000))
    while GAME.result(scripted.state) == "open":
        for voted in (chance.randrange(900), chance.randrange(900, 1800)):
            turnout = {"connected": (1900, 1850), "voted": (voted, voted), "votes_per_s": voted // 10}
            fake_gateway.say("display", {"type": "turnout.counted", "turn": scripted.turn_id, **turnout})
            page.wait_for_timeout(WINDOW_S * 1000 / 2 / RATE)
        red, yellow = (chance.choice(GAME.legal_actions(scripted.state, side)) for side in SIDES)
        scripted = scripted.play(red, yellow, votes=chance.randrange(1, 4000))
        fake_gateway.announce("display", "turn.revealed", scripted.reveal)
        page.wait_for_timeout(scripted.steps.over / RATE)
    page.wait_for_timeout(4_000 / RATE)
    return len(scripted.played)
