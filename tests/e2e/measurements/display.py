"""Display measurements: memory growth over thousands of turns, and smooth falling balls."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from playwright.sync_api import Browser, Page

from games.engine.game import SIDES
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.measurements.dev_tools import DevTools
from tests.e2e.measurements.frames import ONE_BALL, begin, late, traced
from tests.e2e.measurements.goal import Measurement, at_most
from tests.e2e.measurements.heap import Heap, take_heap_snapshot
from tests.e2e.scenes import CODE, CONFLICT, MIDDLE
from tests.e2e.screens import PROJECTOR, TIMEOUT_MS
from tests.e2e.scripted_match import GAME, ScriptedMatch

TURNS, RATE, SAMPLE_EVERY = 2_000, 60, 200
WINDOW_S = 2
REVEALS = 6
BEST_FALL_S = (2.4, 4.0)
WARM_MS = 1_000
BIG_SCREEN = {"width": 1920, "height": 1080}


def match(number: int, chance: random.Random) -> Iterator[ScriptedMatch]:
    """A match of random picks, turn by turn."""
    scripted = ScriptedMatch(match=number, terms={"window_s": WINDOW_S})
    while GAME.result(scripted.state) == "open":
        red, yellow = (chance.choice(GAME.legal_actions(scripted.state, side)) for side in SIDES)
        scripted = scripted.play(red, yellow, votes=chance.randrange(1, 4000))
        yield scripted


@dataclass(frozen=True, slots=True)
class IdleMemory:
    """The memory of an idle page: its heap and its DOM nodes."""

    heap: Heap
    nodes: int


def soak(browser: Browser, fake_gateway: FakeGateway, turns: int = TURNS) -> tuple[list[IdleMemory], int]:
    """Memory samples between matches every SAMPLE_EVERY turns, at least two; and the turns shown."""
    page = browser.new_context(viewport=PROJECTOR).new_page()  # type: ignore[arg-type]
    tools = DevTools(page)
    tools.speed_up(fake_gateway.rate)
    fake_gateway.show(ScriptedMatch().lobby(fake_gateway.now()))
    page.goto(f"{fake_gateway.http}/display/{CODE}")
    page.wait_for_selector("body[data-phase=lobby]", timeout=TIMEOUT_MS)
    held: list[IdleMemory] = []
    chance, shown, number = random.Random(1), 0, 0
    often = min(SAMPLE_EVERY, turns // 2)
    while shown < turns or len(held) < 2:
        number += 1
        shown += play(fake_gateway, page, number, chance)
        if shown >= often * (len(held) + 1):
            return_to_lobby(fake_gateway, page)
            held.append(measure_idle_memory(page, tools))
    page.context.close()
    return held, shown


def measure_idle_memory(page: Page, tools: DevTools) -> IdleMemory:
    return IdleMemory(take_heap_snapshot(tools.cdp), tools.idle_nodes())


def return_to_lobby(fake_gateway: FakeGateway, page: Page) -> None:
    """Return to the lobby, since samples are comparable only in the same state."""
    fake_gateway.say(
        "display", fake_gateway.change("event.edited", ScriptedMatch().lobby(fake_gateway.now()))
    )
    page.wait_for_selector("body[data-phase=lobby]", timeout=4 * TIMEOUT_MS)
    page.wait_for_timeout(1_000)


def play(fake_gateway: FakeGateway, page: Page, number: int, chance: random.Random) -> int:
    """Send one complete match as a gateway does; return the number of turns."""
    began = ScriptedMatch(match=number, terms={"window_s": WINDOW_S})
    fake_gateway.say(
        "display", fake_gateway.change("match.started", began.voting(fake_gateway.now(), WINDOW_S * 1000))
    )
    turns = 0
    for scripted in match(number, chance):
        for voted in (chance.randrange(900), chance.randrange(900, 1800)):
            fake_gateway.say(
                "display",
                {
                    "type": "turnout.counted",
                    "turn": scripted.turn_id - 1,
                    "connected": [1900, 1850],
                    "voted": [voted, voted],
                    "votes_per_s": voted // 10,
                },
            )
            wait_scaled(fake_gateway, page, WINDOW_S / 2)
        fake_gateway.say("display", fake_gateway.change("turn.revealed", scripted.reveal(fake_gateway.now())))
        wait_scaled(fake_gateway, page, scripted.steps.over / 1000)
        turns += 1
    wait_scaled(fake_gateway, page, 4)
    return turns


def wait_scaled(fake_gateway: FakeGateway, page: Page, seconds: float) -> None:
    """Wait this long on the fake gateway's fast clock."""
    page.wait_for_timeout(seconds * 1000 / fake_gateway.rate)


def dropped_frames(browser: Browser, fake_gateway: FakeGateway) -> float:
    """The share of dropped frames while balls fall, on a slow processor."""
    page = browser.new_context(viewport=BIG_SCREEN).new_page()  # type: ignore[arg-type]
    DevTools(page).slow_down()
    shares = [dropped_in_reveal(page, fake_gateway, number) for number in range(REVEALS)]
    page.context.close()
    return sum(shares) / len(shares)


def dropped_in_reveal(page: Page, fake_gateway: FakeGateway, number: int) -> float:
    scripted = (MIDDLE, CONFLICT)[number % 2]
    fake_gateway.show(scripted.voting(fake_gateway.now()))
    page.goto(f"{fake_gateway.http}/display/{CODE}")
    page.wait_for_selector("body[data-phase=voting]", timeout=TIMEOUT_MS)
    page.wait_for_timeout(WARM_MS)

    def reveal() -> None:
        begin(page)
        fake_gateway.say("display", fake_gateway.change("turn.revealed", scripted.reveal(fake_gateway.now())))
        page.wait_for_timeout(scripted.steps.over)

    # From the first ball's start until the token has moved.
    return late(traced(page, reveal), (scripted.steps.drops / 1000, scripted.steps.lines / 1000))


def dropped_at_best(browser: Browser) -> float:
    """The same share for a single ball on an empty page, as this machine's lower bound."""
    page = browser.new_context(viewport=BIG_SCREEN).new_page()  # type: ignore[arg-type]
    page.set_content(ONE_BALL)
    DevTools(page).slow_down()
    page.wait_for_timeout(WARM_MS)

    def run() -> None:
        begin(page)
        page.wait_for_timeout(BEST_FALL_S[1] * 1000)

    share = late(traced(page, run), BEST_FALL_S)
    page.context.close()
    return share


def least_nodes(held: Sequence[IdleMemory]) -> int:
    """The least reading: the lobby's example varies by 30, and animations keep replaced nodes a while."""
    return min(memory.nodes for memory in held)


def measurements(
    browser: Browser, fake_gateway: FakeGateway, fast: FakeGateway, turns: int = TURNS
) -> list[Measurement]:
    held, shown = soak(browser, fast, turns)
    first, last = held[0], held[-1]
    grown = last.heap.own / first.heap.own - 1
    before, after = least_nodes(held[: len(held) // 2]), least_nodes(held[len(held) // 2 :])
    leaked = 2 * (after - before) / shown
    text = f"{grown:+.1%} ({first.heap.own / 1e6:.2f} → {last.heap.own / 1e6:.2f} MB)"
    code = f"{first.heap.code / 1e6:.2f} → {last.heap.code / 1e6:.2f} MB"
    best, missed = dropped_at_best(browser), dropped_frames(browser, fake_gateway)
    return [
        Measurement(f"projector: heap growth over {shown:,} turns", "< 5 %", text, grown < 0.05),
        Measurement("projector: compiled code over these turns", "", code),
        Measurement(
            "projector: new DOM nodes per turn, by the least of each half",
            "< 0.1",
            f"{leaked:.2f} ({before} → {after})",
            leaked < 0.1,
        ),
        at_most("projector: frames dropped while balls fall, CPU slowed 4 times", 100 * missed, 5, "%", 1),
        Measurement("projector: frames dropped for one ball on an empty page", "", f"{100 * best:.1f} %"),
    ]
