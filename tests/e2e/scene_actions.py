"""Actions in a scene: what users do on a phone or display, and what the server sends then."""

import json
from functools import partial

import msgspec
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import CODE, MIDDLE, SLOWER, Action, State, answer_with, at_phase, seal
from tests.e2e.screens import TIMEOUT_MS, tap
from tests.e2e.scripted_match import ScriptedMatch
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
RETRY_LATER = RetryAfter(within_ms=60_000)
# A voter's record of the long match, as a phone stores it.
AGREED = {str(number): number not in (2, 7) for number in range(1, 13) if number != 5}
# The board's columns, from left to right.
PLACES = """() => [...document.querySelectorAll(".board .column")]
  .sort((one, two) => one.getBoundingClientRect().left - two.getBoundingClientRect().left)
  .map(({dataset}) => dataset.column)"""
CHECKERED = """() => { document.documentElement.style.background =
  "repeating-conic-gradient(#8a8f98 0 25%, #b9bec6 0 50%) 0 0 / 64px 64px"; }"""


def pick(page: Page, fake_gateway: FakeGateway, column: int = OWN, status: str = "counted") -> None:
    page.locator(f'[data-column="{column}"]').click(timeout=TIMEOUT_MS)
    expect(page.locator("main")).to_have_attribute("data-status", status, timeout=TIMEOUT_MS)


def pick_several(page: Page, fake_gateway: FakeGateway) -> None:
    for column in (OTHER, OWN, 6):
        pick(page, fake_gateway, column)


def request_resignation(page: Page, fake_gateway: FakeGateway) -> None:
    """Ask to resign; the phone asks for confirmation once."""
    pick(page, fake_gateway)
    page.locator('[data-do="resign"]').click(timeout=TIMEOUT_MS)


def accept_draw(page: Page, fake_gateway: FakeGateway) -> None:
    pick(page, fake_gateway)
    accept = page.locator('[data-do="draw"]')
    accept.click(timeout=TIMEOUT_MS)
    expect(accept).to_have_attribute("aria-pressed", "true")


def receive_picks(*voted: int) -> Action:
    """In a duel: send which players picked three seconds ago, and the number of watchers."""

    def action(page: Page, fake_gateway: FakeGateway) -> None:
        since = fake_gateway.now() - 3_000
        one, two = (since if team in voted else 0 for team in (1, 2))
        both = (int(1 in voted), int(2 in voted))
        turnout = TurnoutCounted(
            turn=MIDDLE.turn_id, connected=(1, 1), voted=both, picked_at=(one, two), watching=14
        )
        for kind in ("phone", "display"):
            fake_gateway.say(kind, turnout)
        page.wait_for_timeout(300)

    return action


def receive_picks_with_clocks(*voted: int) -> Action:
    """On a phone, wait for the deferred part that shows clocks."""

    def action(page: Page, fake_gateway: FakeGateway) -> None:
        expect(page.locator(".corner .picked")).to_have_count(2, timeout=TIMEOUT_MS)
        receive_picks(*voted)(page, fake_gateway)

    return action


def pick_in_duel(page: Page, fake_gateway: FakeGateway) -> None:
    pick(page, fake_gateway)
    receive_picks(1)(page, fake_gateway)


def pick_unacknowledged(page: Page, fake_gateway: FakeGateway) -> None:
    fake_gateway.counts = False
    pick(page, fake_gateway, status="sending")


def pick_too_late(page: Page, fake_gateway: FakeGateway) -> None:
    pick_unacknowledged(page, fake_gateway)
    fake_gateway.say("phone", BallotRefused(turn=MIDDLE.turn_id, sequence=1, code="late"))
    expect(page.locator("main")).to_have_attribute("data-status", "refused", timeout=TIMEOUT_MS)


def pick_hidden(page: Page, fake_gateway: FakeGateway) -> None:
    """Vote, then hide the vote on the screen."""
    pick(page, fake_gateway)
    tap(page.locator('[data-do="hide"]'))
    expect(page.locator('[data-do="hide"]')).to_have_attribute("aria-pressed", "true")


def read_consent(page: Page, fake_gateway: FakeGateway) -> None:
    expect(page.locator("dialog.consent")).to_be_visible(timeout=TIMEOUT_MS)


def sealed(page: Page, fake_gateway: FakeGateway) -> None:
    for kind in ("phone", "display"):
        fake_gateway.say(kind, seal(fake_gateway, MIDDLE))
    page.wait_for_timeout(300)


def sealed_by_all(page: Page, fake_gateway: FakeGateway) -> None:
    """Full turnout: the water rises to its highest level."""
    fake_gateway.say(
        "display", TurnoutCounted(turn=MIDDLE.turn_id, connected=(1250, 1190), voted=(1250, 1190))
    )
    page.wait_for_timeout(RISES_MS)
    sealed(page, fake_gateway)


def vote_then_receive(kind: str, state: State, phase: str, first: Action = pick) -> Action:
    """Vote first, then receive this change of the event's state."""

    def action(page: Page, fake_gateway: FakeGateway) -> None:
        first(page, fake_gateway)
        fake_gateway.say("phone", fake_gateway.change(kind, state(fake_gateway.now())))
        at_phase(page, phase)

    return action


def sealed_after_vote(scripted: ScriptedMatch) -> Action:
    def action(page: Page, fake_gateway: FakeGateway) -> None:
        vote_then_receive("turn.moved", scripted.sealed, "sealed")(page, fake_gateway)
        sealed(page, fake_gateway)

    return action


def restore_receipts(page: Page, fake_gateway: FakeGateway) -> None:
    """The voter's two votes were counted and checked."""
    receipt = {"turn": 1011, "number": 11, "epoch": 1, "side": "yellow", "choices": [[1, 4, "ab" * 16]]}
    receipt |= {"acknowledged": 1, "watched": True, "late": False, "root": "", "found": "checked"}
    receipts = [receipt, {**receipt, "turn": 1012, "number": 12}]
    kept = json.dumps({"match": 1, "receipts": receipts})
    page.evaluate(f"kept => localStorage.setItem('crowdgame:{CODE}:receipts', kept)", kept)
    page.goto(f"{page.url}?locale={page.evaluate('document.documentElement.lang')}")
    expect(page.locator(".receipts summary")).to_be_visible()


def go_offline(page: Page, fake_gateway: FakeGateway) -> None:
    """Go offline."""
    page.context.set_offline(True)
    fake_gateway.close_sockets()
    at_phase(page, "lost")


def close_for_good(code: int) -> Action:
    """The server closes the socket for good."""

    def action(page: Page, fake_gateway: FakeGateway) -> None:
        fake_gateway.close_sockets(code)
        at_phase(page, "away")

    return action


def reject_display(code: int) -> Action:
    """The server rejects a display for good."""

    def action(page: Page, fake_gateway: FakeGateway) -> None:
        fake_gateway.close_sockets(code)
        at_phase(page, "unknown")

    return action


def reject_as_crowded(page: Page, fake_gateway: FakeGateway) -> None:
    """The admission queue tells the phone to retry later."""
    answer_with(fake_gateway, RETRY_LATER)
    fake_gateway.say("phone", RETRY_LATER)
    fake_gateway.close_sockets(CloseCode.CROWDED)
    at_phase(page, "crowded")


def move_voter(page: Page, fake_gateway: FakeGateway) -> None:
    """An organizer moves the voter to the other team."""
    fake_gateway.say("phone", fake_gateway.welcome("phone", MIDDLE.voting(fake_gateway.now()), 2))
    expect(page.locator("body")).to_have_attribute("data-team", "2", timeout=TIMEOUT_MS)


def no_such_event(page: Page, fake_gateway: FakeGateway) -> None:
    fake_gateway.close_sockets(CloseCode.NO_SUCH_EVENT)
    expect(page.get_by_role("alert")).to_contain_text(CODE, timeout=TIMEOUT_MS)


def scan_second_ticket(page: Page, fake_gateway: FakeGateway) -> None:
    """A second voter scans a code on a device that has a seat."""
    language = page.locator("html").get_attribute("lang")
    page.goto("about:blank")
    page.goto(f"{fake_gateway.http}/{CODE}?locale={language}#R7KQ2-B3XCD")
    expect(page.locator('[data-do="change"]')).to_be_visible(timeout=TIMEOUT_MS)


def open_card(page: Page, fake_gateway: FakeGateway) -> None:
    """Open the result card after an event in which the phone voted."""
    kept = {"match": 1, "turn": 1012, "choice": OWN, "agreed": AGREED}
    page.evaluate(f"kept => localStorage.setItem('crowdgame:{CODE}:record', kept)", json.dumps(kept))
    page.reload()
    page.locator('[data-do="card"]').click(timeout=TIMEOUT_MS)
    expect(page.locator("dialog")).to_be_visible()


def open_sides(page: Page, fake_gateway: FakeGateway) -> None:
    """Open the dialog for secret sides."""
    page.locator('[data-do="side"]').click(timeout=TIMEOUT_MS)
    expect(page.locator("dialog.sides")).to_be_visible()


def reveal_side(page: Page, fake_gateway: FakeGateway) -> None:
    """Look at one's own side after a side change was recorded."""
    fake_gateway.say("phone", SideChanged(side_changes=(AcceptedSideChange(turn=2, team=2),)))
    open_sides(page, fake_gateway)
    page.locator('[data-do="look"]').click()
    expect(page.locator(".plate b")).to_be_visible()


def press(key: str) -> Action:
    return lambda page, fake_gateway: page.keyboard.press(key)


def show_keys(page: Page, fake_gateway: FakeGateway, allowed: bool = False) -> None:
    """Show the presenter's keys; `allowed`: the browser is logged in to the console."""
    welcome = ConsoleWelcomed(
        now_at=fake_gateway.now(), seq=0, join_url="", state=MIDDLE.voting(fake_gateway.now())
    )

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
        "data-access", "in" if allowed else "out", timeout=TIMEOUT_MS
    )


show_working_keys = partial(show_keys, allowed=True)


def show_over_picture(page: Page, fake_gateway: FakeGateway) -> None:
    """Show a pattern behind a transparent display."""
    page.evaluate(CHECKERED)


def vote_then_reveal(scripted: ScriptedMatch, step: str) -> Action:
    """Vote, then receive the reveal of that turn."""
    after = scripted.play(OWN, OTHER)
    reveal = vote_then_receive("turn.revealed", lambda now: after.reveal(now, step, SLOWER), "reveal")

    def action(page: Page, fake_gateway: FakeGateway) -> None:
        reveal(page, fake_gateway)
        expect(page.locator(".column.own")).to_have_attribute("data-column", str(OWN), timeout=TIMEOUT_MS)
        assert page.evaluate(PLACES) == ["1", "2", "3", "4", "5", "6", "7"]

    return action
