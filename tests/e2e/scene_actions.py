"""Actions in a scene: what users do on a phone or display, and what the server sends then."""

import json
from functools import partial

import msgspec
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.e2e.fake_gateway import Prompter
from tests.e2e.scene_setup import CODE, MIDDLE, Hand, State, answer_with, at_phase, seal
from tests.e2e.screens import SOON_MS, tap
from tests.e2e.scripted_match import Tale
from voting.protocol import (
    AcceptedSideChange,
    BallotRefused,
    CloseCode,
    ConsoleWelcomed,
    RetryAfter,
    SideChanged,
    TurnoutCounted,
)

OWN, OTHER = 3, 5
RISES_MS = 1_500
LATER = RetryAfter(within_ms=60_000)
# A voter's record of the long match, as a phone stores it.
AGREED = {str(number): number not in (2, 7) for number in range(1, 13) if number != 5}
# The board's columns, from left to right.
PLACES = """() => [...document.querySelectorAll(".board .column")]
  .sort((one, two) => one.getBoundingClientRect().left - two.getBoundingClientRect().left)
  .map(({dataset}) => dataset.column)"""
CHECKERED = """() => { document.documentElement.style.background =
  "repeating-conic-gradient(#8a8f98 0 25%, #b9bec6 0 50%) 0 0 / 64px 64px"; }"""


def pick(page: Page, prompter: Prompter, column: int = OWN, status: str = "counted") -> None:
    page.locator(f'[data-column="{column}"]').click(timeout=SOON_MS)
    expect(page.locator("main")).to_have_attribute("data-status", status, timeout=SOON_MS)


def pick_several(page: Page, prompter: Prompter) -> None:
    for column in (OTHER, OWN, 6):
        pick(page, prompter, column)


def wish_to_resign(page: Page, prompter: Prompter) -> None:
    """Ask to resign; the phone asks for confirmation once."""
    pick(page, prompter)
    page.locator('[data-do="resign"]').click(timeout=SOON_MS)


def receive_picks(*voted: int) -> Hand:
    """In a duel: send which players picked three seconds ago, and the number of watchers."""

    def hand(page: Page, prompter: Prompter) -> None:
        since = prompter.now() - 3_000
        one, two = (since if team in voted else 0 for team in (1, 2))
        both = (int(1 in voted), int(2 in voted))
        turnout = TurnoutCounted(
            turn=MIDDLE.turn_id, connected=(1, 1), voted=both, picked_at=(one, two), watching=14
        )
        for kind in ("phone", "display"):
            prompter.say(kind, turnout)
        page.wait_for_timeout(300)

    return hand


def see_clocks(*voted: int) -> Hand:
    """On a phone, wait for the deferred part that shows clocks."""

    def hand(page: Page, prompter: Prompter) -> None:
        expect(page.locator(".corner .picked")).to_have_count(2, timeout=SOON_MS)
        receive_picks(*voted)(page, prompter)

    return hand


def pick_in_duel(page: Page, prompter: Prompter) -> None:
    pick(page, prompter)
    receive_picks(1)(page, prompter)


def pick_unheard(page: Page, prompter: Prompter) -> None:
    prompter.counts = False
    pick(page, prompter, status="sending")


def pick_too_late(page: Page, prompter: Prompter) -> None:
    pick_unheard(page, prompter)
    prompter.say("phone", BallotRefused(turn=MIDDLE.turn_id, sequence=1, code="late"))
    expect(page.locator("main")).to_have_attribute("data-status", "refused", timeout=SOON_MS)


def pick_hidden(page: Page, prompter: Prompter) -> None:
    """Vote, then hide the vote on the screen."""
    pick(page, prompter)
    tap(page.locator('[data-do="hide"]'))
    expect(page.locator('[data-do="hide"]')).to_have_attribute("aria-pressed", "true")


def read(page: Page, prompter: Prompter) -> None:
    expect(page.locator("dialog.consent")).to_be_visible(timeout=SOON_MS)


def sealed(page: Page, prompter: Prompter) -> None:
    for kind in ("phone", "display"):
        prompter.say(kind, seal(prompter, MIDDLE))
    page.wait_for_timeout(300)


def sealed_by_all(page: Page, prompter: Prompter) -> None:
    """Full turnout: the water rises to its highest level."""
    prompter.say("display", TurnoutCounted(turn=MIDDLE.turn_id, connected=(1250, 1190), voted=(1250, 1190)))
    page.wait_for_timeout(RISES_MS)
    sealed(page, prompter)


def then(kind: str, state: State, phase: str, first: Hand = pick) -> Hand:
    """Vote first, then receive this change of the event's state."""

    def hand(page: Page, prompter: Prompter) -> None:
        first(page, prompter)
        prompter.say("phone", prompter.change(kind, state(prompter.now())))
        at_phase(page, phase)

    return hand


def sealed_after_vote(tale: Tale) -> Hand:
    def hand(page: Page, prompter: Prompter) -> None:
        then("turn.moved", tale.sealed, "sealed")(page, prompter)
        sealed(page, prompter)

    return hand


def cut(page: Page, prompter: Prompter) -> None:
    """Go offline."""
    page.context.set_offline(True)
    prompter.hang_up()
    at_phase(page, "lost")


def sent_away(code: int) -> Hand:
    """The server closes the socket for good."""

    def hand(page: Page, prompter: Prompter) -> None:
        prompter.hang_up(code)
        at_phase(page, "away")

    return hand


def turned_away(code: int) -> Hand:
    """The server rejects a display for good."""

    def hand(page: Page, prompter: Prompter) -> None:
        prompter.hang_up(code)
        at_phase(page, "unknown")

    return hand


def crowded(page: Page, prompter: Prompter) -> None:
    """The admission queue tells the phone to retry later."""
    answer_with(prompter, LATER)
    prompter.say("phone", LATER)
    prompter.hang_up(CloseCode.CROWDED)
    at_phase(page, "crowded")


def moved(page: Page, prompter: Prompter) -> None:
    """An organizer moves the voter to the other team."""
    prompter.say("phone", prompter.welcome("phone", MIDDLE.voting(prompter.now()), 2))
    expect(page.locator("body")).to_have_attribute("data-team", "2", timeout=SOON_MS)


def no_such_event(page: Page, prompter: Prompter) -> None:
    prompter.hang_up(CloseCode.NO_SUCH_EVENT)
    expect(page.get_by_role("alert")).to_contain_text(CODE, timeout=SOON_MS)


def handed_on(page: Page, prompter: Prompter) -> None:
    """A second voter scans a code on a device that has a seat."""
    page.goto("about:blank")
    page.goto(f"{prompter.http}/{CODE}#R7KQ2-B3XCD")
    expect(page.locator('[data-do="change"]')).to_be_visible(timeout=SOON_MS)


def open_card(page: Page, prompter: Prompter) -> None:
    """Open the result card after an event in which the phone voted."""
    kept = {"match": 1, "turn": 1012, "choice": OWN, "agreed": AGREED}
    page.evaluate(f"kept => localStorage.setItem('crowdgame:{CODE}:record', kept)", json.dumps(kept))
    page.reload()
    page.locator('[data-do="card"]').click(timeout=SOON_MS)
    expect(page.locator("dialog")).to_be_visible()


def open_sides(page: Page, prompter: Prompter) -> None:
    """Open the dialog for secret sides."""
    page.locator('[data-do="side"]').click(timeout=SOON_MS)
    expect(page.locator("dialog.sides")).to_be_visible()


def reveal_side(page: Page, prompter: Prompter) -> None:
    """Look at one's own side after a side change was recorded."""
    prompter.say("phone", SideChanged(side_changes=(AcceptedSideChange(turn=2, team=2),)))
    open_sides(page, prompter)
    page.locator('[data-do="look"]').click()
    expect(page.locator(".plate b")).to_be_visible()


def press(key: str) -> Hand:
    return lambda page, prompter: page.keyboard.press(key)


def show_keys(page: Page, prompter: Prompter, allowed: bool = False) -> None:
    """Show the presenter's keys; `allowed`: the browser is logged in to the console."""
    welcome = ConsoleWelcomed(now_at=prompter.now(), seq=0, join_url="", state=MIDDLE.voting(prompter.now()))

    def answer(socket: WebSocketRoute) -> None:
        if allowed:
            socket.on_message(lambda _: socket.send(msgspec.json.encode(welcome).decode()))
        else:
            socket.close(code=CloseCode.NOT_ALLOWED)

    page.route_web_socket("**/ws/console", answer)
    page.reload()
    at_phase(page, "voting")
    page.keyboard.press("?")
    expect(page.locator(".hints [data-access]")).to_have_attribute(
        "data-access", "in" if allowed else "out", timeout=SOON_MS
    )


show_working_keys = partial(show_keys, allowed=True)


def over_a_picture(page: Page, prompter: Prompter) -> None:
    """Show a pattern behind a transparent display."""
    page.evaluate(CHECKERED)


def voted(tale: Tale, ago_ms: int) -> Hand:
    """Vote, then receive the reveal of that turn."""
    after = tale.play(OWN, OTHER)
    reveal = then("turn.revealed", lambda now: after.reveal(now, ago_ms, reveal_s=60), "reveal")

    def hand(page: Page, prompter: Prompter) -> None:
        reveal(page, prompter)
        expect(page.locator(".column.own")).to_have_attribute("data-column", str(OWN), timeout=SOON_MS)
        assert page.evaluate(PLACES) == ["1", "2", "3", "4", "5", "6", "7"]

    return hand
