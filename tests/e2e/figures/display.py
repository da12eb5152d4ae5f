"""The projector: whether thousands of turns leave anything behind, and whether balls fall smoothly."""

import random
import time
from collections.abc import Iterator

from playwright.sync_api import Browser, Page

from games.engine.game import SIDES
from tests.e2e.faces import PROJECTOR, SOON_MS
from tests.e2e.figures.goal import Figure, at_most
from tests.e2e.figures.tools import Holdings, Tools
from tests.e2e.prompter import Prompter
from tests.e2e.scenes import CODE, CONFLICT, MIDDLE
from tests.e2e.tale import GAME, Tale

TURNS, RATE, LOOK_EVERY = 2_000, 60, 200
WINDOW_S, REVEAL_S = 2, 6
REVEALS = 6
FRAME_MS = 1000 / 60
FALLING = ("drops", "second", "token")
# Every frame, with the step of the reveal that it is in.
FRAMES = """() => {
  window.frames = [];
  const draw = (at) => {
    window.frames.push([document.querySelector("[data-step]")?.dataset.step ?? "", at]);
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
}"""


def match(number: int, chance: random.Random) -> Iterator[Tale]:
    """A match's tales, turn by turn, of columns drawn at random."""
    tale = Tale(match=number, terms={"window_s": WINDOW_S, "reveal_s": REVEAL_S})
    while GAME.result(tale.state) == "open":
        red, yellow = (chance.choice(GAME.legal_actions(tale.state, side)) for side in SIDES)
        tale = tale.play(red, yellow, votes=chance.randrange(1, 4000))
        yield tale


def soak(browser: Browser, prompter: Prompter, turns: int = TURNS) -> tuple[list[Holdings], int]:
    """What it holds every LOOK_EVERY turns, once a match is over; and how many turns it was shown."""
    page = browser.new_context(viewport=PROJECTOR).new_page()  # type: ignore[arg-type]
    tools = Tools(page)
    tools.speed_up(prompter.rate)
    prompter.show(Tale().lobby(prompter.now()))
    page.goto(f"{prompter.http}/display/{CODE}")
    page.wait_for_selector("body[data-phase=lobby]", timeout=SOON_MS)
    held: list[Holdings] = []
    chance, shown, number = random.Random(1), 0, 0
    while shown < turns:
        number += 1
        shown += play(prompter, page, number, chance)
        if shown >= LOOK_EVERY * (len(held) + 1):
            come_to_rest(prompter, page)
            held.append(tools.holdings())
    page.context.close()
    return held, shown


def come_to_rest(prompter: Prompter, page: Page) -> None:
    """What is held is comparable only in the same state."""
    prompter.say("display", prompter.change("event.edited", Tale().lobby(prompter.now())))
    page.wait_for_selector("body[data-phase=lobby]", timeout=4 * SOON_MS)
    page.wait_for_timeout(1_000)


def play(prompter: Prompter, page: Page, number: int, chance: random.Random) -> int:
    """One match to its end, as a gateway tells it; how many turns it had."""
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
    """By the prompter's fast clock."""
    time.sleep(seconds / prompter.rate)  # as long as a hall would look on


def late_frames(browser: Browser, prompter: Prompter) -> float:
    """The share of frames that were not drawn in time while balls fell, on a slow processor."""
    page = browser.new_context(viewport=PROJECTOR).new_page()  # type: ignore[arg-type]
    page.add_init_script(f"({FRAMES})()")
    Tools(page).slow_down()
    shares = [late_in_a_reveal(page, prompter, number) for number in range(REVEALS)]
    page.context.close()
    return sum(shares) / len(shares)


def late_in_a_reveal(page: Page, prompter: Prompter, number: int) -> float:
    tale = (MIDDLE, CONFLICT)[number % 2]
    prompter.show(tale.voting(prompter.now()))
    page.goto(f"{prompter.http}/display/{CODE}")
    page.wait_for_selector("body[data-phase=voting]", timeout=SOON_MS)
    prompter.say("display", prompter.change("turn.revealed", tale.reveal(prompter.now())))
    page.wait_for_timeout(REVEAL_S * 1000)
    drawn: list[float] = [at for step, at in page.evaluate("() => window.frames") if step in FALLING]
    due = (drawn[-1] - drawn[0]) / FRAME_MS
    return max(0.0, 1 - (len(drawn) - 1) / due)


def figures(browser: Browser, prompter: Prompter, fast: Prompter, turns: int = TURNS) -> list[Figure]:
    held, shown = soak(browser, fast, turns)
    heap, nodes = held[-1].heap / held[0].heap - 1, held[-1].nodes - held[0].nodes
    late = late_frames(browser, prompter)
    first, last = held[0], held[-1]
    told = f"{heap:+.1%} ({first.heap / 1e6:.2f} → {last.heap / 1e6:.2f} MB)"
    return [
        Figure(f"projector: heap over {shown:,} turns", "< 5 %", told, heap < 0.05),
        Figure("projector: nodes over them", "constant", f"{nodes:+d} of {first.nodes}", abs(nodes) <= 0),
        at_most("projector: frames of drops that are late, 4-fold slower CPU", 100 * late, 5, "%", 1),
    ]
