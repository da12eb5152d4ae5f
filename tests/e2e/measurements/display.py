"""Display measurements: memory growth over thousands of turns, and smooth falling balls."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from playwright.sync_api import Browser, Page

from games.engine.game import SIDES
from tests.e2e.fake_gateway import Prompter
from tests.e2e.measurements.dev_tools import Tools
from tests.e2e.measurements.frames import ONE_BALL, begin, late, traced
from tests.e2e.measurements.goal import Measurement, at_most
from tests.e2e.measurements.heap import Heap, heap_of
from tests.e2e.scenes import CODE, CONFLICT, MIDDLE
from tests.e2e.screens import PROJECTOR, SOON_MS
from tests.e2e.scripted_match import GAME, Tale

TURNS, RATE, SAMPLE_EVERY = 2_000, 60, 200
WINDOW_S, REVEAL_S = 2, 6
REVEALS = 6
# Within a reveal of six seconds: from the first ball's start until the token has moved.
FALLING_S = (2.4, 4.0)
WARM_MS = 1_000
BIG_SCREEN = {"width": 1920, "height": 1080}


def match(number: int, chance: random.Random) -> Iterator[Tale]:
    """A match of random picks, turn by turn."""
    tale = Tale(match=number, terms={"window_s": WINDOW_S, "reveal_s": REVEAL_S})
    while GAME.result(tale.state) == "open":
        red, yellow = (chance.choice(GAME.legal_actions(tale.state, side)) for side in SIDES)
        tale = tale.play(red, yellow, votes=chance.randrange(1, 4000))
        yield tale


@dataclass(frozen=True, slots=True)
class Held:
    """The memory of an idle page: its heap and its DOM nodes."""

    heap: Heap
    nodes: int


def soak(browser: Browser, prompter: Prompter, turns: int = TURNS) -> tuple[list[Held], int]:
    """Memory samples between matches every SAMPLE_EVERY turns, at least two; and the turns shown."""
    page = browser.new_context(viewport=PROJECTOR).new_page()  # type: ignore[arg-type]
    tools = Tools(page)
    tools.speed_up(prompter.rate)
    prompter.show(Tale().lobby(prompter.now()))
    page.goto(f"{prompter.http}/display/{CODE}")
    page.wait_for_selector("body[data-phase=lobby]", timeout=SOON_MS)
    held: list[Held] = []
    chance, shown, number = random.Random(1), 0, 0
    often = min(SAMPLE_EVERY, turns // 2)
    while shown < turns or len(held) < 2:
        number += 1
        shown += play(prompter, page, number, chance)
        if shown >= often * (len(held) + 1):
            come_to_rest(prompter, page)
            held.append(held_by(page, tools))
    page.context.close()
    return held, shown


def held_by(page: Page, tools: Tools) -> Held:
    return Held(heap_of(tools.cdp), tools.nodes_at_rest())


def come_to_rest(prompter: Prompter, page: Page) -> None:
    """Return to the lobby, since samples are comparable only in the same state."""
    prompter.say("display", prompter.change("event.edited", Tale().lobby(prompter.now())))
    page.wait_for_selector("body[data-phase=lobby]", timeout=4 * SOON_MS)
    page.wait_for_timeout(1_000)


def play(prompter: Prompter, page: Page, number: int, chance: random.Random) -> int:
    """Send one complete match as a gateway does; return the number of turns."""
    began = Tale(match=number, terms={"window_s": WINDOW_S, "reveal_s": REVEAL_S})
    prompter.say("display", prompter.change("match.started", began.voting(prompter.now(), WINDOW_S * 1000)))
    turns = 0
    for tale in match(number, chance):
        for voted in (chance.randrange(900), chance.randrange(900, 1800)):
            prompter.say(
                "display",
                {
                    "type": "turnout.counted",
                    "turn": tale.turn_id - 1,
                    "connected": [1900, 1850],
                    "voted": [voted, voted],
                },
            )
            pass_time(prompter, page, WINDOW_S / 2)
        prompter.say(
            "display", prompter.change("turn.revealed", tale.reveal(prompter.now(), reveal_s=REVEAL_S))
        )
        pass_time(prompter, page, REVEAL_S)
        turns += 1
    pass_time(prompter, page, 4)
    return turns


def pass_time(prompter: Prompter, page: Page, seconds: float) -> None:
    """Wait this long on the prompter's fast clock."""
    page.wait_for_timeout(seconds * 1000 / prompter.rate)


def late_frames(browser: Browser, prompter: Prompter) -> float:
    """The share of dropped frames while balls fall, on a slow processor."""
    page = browser.new_context(viewport=BIG_SCREEN).new_page()  # type: ignore[arg-type]
    Tools(page).slow_down()
    shares = [late_in_a_reveal(page, prompter, number) for number in range(REVEALS)]
    page.context.close()
    return sum(shares) / len(shares)


def late_in_a_reveal(page: Page, prompter: Prompter, number: int) -> float:
    tale = (MIDDLE, CONFLICT)[number % 2]
    prompter.show(tale.voting(prompter.now()))
    page.goto(f"{prompter.http}/display/{CODE}")
    page.wait_for_selector("body[data-phase=voting]", timeout=SOON_MS)
    page.wait_for_timeout(WARM_MS)

    def reveal() -> None:
        begin(page)
        prompter.say("display", prompter.change("turn.revealed", tale.reveal(prompter.now())))
        page.wait_for_timeout(REVEAL_S * 1000)

    return late(traced(page, reveal), FALLING_S)


def late_at_best(browser: Browser) -> float:
    """The same share for a single ball on an empty page, as this machine's lower bound."""
    page = browser.new_context(viewport=BIG_SCREEN).new_page()  # type: ignore[arg-type]
    page.set_content(ONE_BALL)
    Tools(page).slow_down()
    page.wait_for_timeout(WARM_MS)

    def keep_watching() -> None:
        begin(page)
        page.wait_for_timeout(REVEAL_S * 1000)

    share = late(traced(page, keep_watching), FALLING_S)
    page.context.close()
    return share


def measurements(
    browser: Browser, prompter: Prompter, fast: Prompter, turns: int = TURNS
) -> list[Measurement]:
    held, shown = soak(browser, fast, turns)
    first, last = held[0], held[-1]
    grown, nodes = last.heap.own / first.heap.own - 1, last.nodes - first.nodes
    text = f"{grown:+.1%} ({first.heap.own / 1e6:.2f} → {last.heap.own / 1e6:.2f} MB)"
    code = f"{first.heap.code / 1e6:.2f} → {last.heap.code / 1e6:.2f} MB"
    best, missed = late_at_best(browser), late_frames(browser, prompter)
    return [
        Measurement(f"projector: heap growth over {shown:,} turns", "< 5 %", text, grown < 0.05),
        Measurement("projector: compiled code over these turns", "", code),
        Measurement(
            "projector: new DOM nodes over these turns",
            "constant",
            f"{nodes:+d} of {first.nodes}",
            nodes == 0,
        ),
        at_most("projector: frames dropped while balls fall, CPU slowed 4 times", 100 * missed, 5, "%", 1),
        Measurement("projector: frames dropped for one ball on an empty page", "", f"{100 * best:.1f} %"),
    ]
