"""Actions in a scene: what users do on a phone or display, and what the server sends then."""

import json
from functools import partial
from typing import Any

import msgspec
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import CODE, MIDDLE, SLOWER, State, at_phase, seal
from tests.e2e.screens import tap
from tests.e2e.scripted_match import ScriptedMatch
from tests.e2e.scripts import page_script
from voting import protocol

OWN, OTHER = 3, 5
RETRY_LATER = protocol.RetryAfter(within_ms=60_000)
# A pattern behind a transparent display.
CHECKERED_JS = """() => { document.documentElement.style.background =
  "repeating-conic-gradient(#8a8f98 0 25%, #b9bec6 0 50%) 0 0 / 64px 64px"; }"""


def pick(page: Page, fake_gateway: FakeGateway, column: int = OWN, status: str = "counted") -> None:
    page.locator(f'[data-column="{column}"]').click()
    expect(page.locator("main")).to_have_attribute("data-status", status)


def pick_several(page: Page, fake_gateway: FakeGateway) -> None:
    for column in (OTHER, OWN, 6):
        pick(page, fake_gateway, column)


def pick_and_press(page: Page, fake_gateway: FakeGateway, name: str, pressed: str = "true") -> None:
    """Vote, then press this button once. A button that asks for confirmation is not pressed then."""
    pick(page, fake_gateway)
    button = page.locator(f'[data-do="{name}"]')
    tap(button)
    expect(button).to_have_attribute("aria-pressed", pressed)


def receive_picks(page: Page, fake_gateway: FakeGateway, voted: tuple[int, ...] = ()) -> None:
    """In a duel: send which players picked three seconds ago, and the number of watchers."""
    since = fake_gateway.now() - 3_000
    one, two = int(1 in voted), int(2 in voted)
    given: Any = {"voted": (one, two), "picked_at": (one * since, two * since)}
    turnout = protocol.TurnoutCounted(turn=MIDDLE.turn_id, connected=(1, 1), watching=14, **given)
    for kind in ("phone", "display"):
        fake_gateway.say(kind, turnout)
    page.wait_for_timeout(300)


def receive_picks_with_clocks(page: Page, fake_gateway: FakeGateway, voted: tuple[int, ...] = ()) -> None:
    """On a phone, wait for the deferred part that shows clocks."""
    expect(page.locator(".corner .picked")).to_have_count(2)
    receive_picks(page, fake_gateway, voted)


def pick_in_duel(page: Page, fake_gateway: FakeGateway) -> None:
    pick(page, fake_gateway)
    receive_picks(page, fake_gateway, (1,))


def pick_unacknowledged(page: Page, fake_gateway: FakeGateway) -> None:
    fake_gateway.counts = False
    pick(page, fake_gateway, status="sending")


def pick_too_late(page: Page, fake_gateway: FakeGateway) -> None:
    pick_unacknowledged(page, fake_gateway)
    fake_gateway.say("phone", protocol.BallotRefused(turn=MIDDLE.turn_id, sequence=1, code="late"))
    expect(page.locator("main")).to_have_attribute("data-status", "refused")


def sealed(page: Page, fake_gateway: FakeGateway, by_all: bool = False) -> None:
    """`by_all`: with full turnout, the water rises to its highest level."""
    if by_all:
        full = protocol.TurnoutCounted(turn=MIDDLE.turn_id, connected=(1250, 1190), voted=(1250, 1190))
        fake_gateway.say("display", full)
        page.wait_for_timeout(1_500)
    for kind in ("phone", "display"):
        fake_gateway.say(kind, seal(fake_gateway, MIDDLE))
    page.wait_for_timeout(300)


def vote_then_receive(page: Page, fake_gateway: FakeGateway, kind: str, state: State, phase: str) -> None:
    pick(page, fake_gateway)
    fake_gateway.announce("phone", kind, state)
    at_phase(page, phase)


def sealed_after_vote(page: Page, fake_gateway: FakeGateway, scripted: ScriptedMatch) -> None:
    vote_then_receive(page, fake_gateway, "turn.moved", scripted.sealed, "sealed")
    sealed(page, fake_gateway)


def vote_then_reveal(page: Page, fake_gateway: FakeGateway, scripted: ScriptedMatch, step: str) -> None:
    revealed = partial(scripted.play(OWN, OTHER).reveal, step=step, slower=SLOWER)
    vote_then_receive(page, fake_gateway, "turn.revealed", revealed, "reveal")
    expect(page.locator(".column.own")).to_have_attribute("data-column", str(OWN))
    assert page.evaluate(page_script("places")) == ["1", "2", "3", "4", "5", "6", "7"]


def restore_receipts(page: Page, fake_gateway: FakeGateway) -> None:
    """The voter's two votes were counted and checked."""
    receipt = {"turn": 1011, "number": 11, "epoch": 1, "side": "yellow", "choices": [[1, 4, "ab" * 16]]}
    receipt |= {"acknowledged": 1, "watched": True, "late": False, "root": "", "found": "checked"}
    store(page, "receipts", {"match": 1, "receipts": [receipt, {**receipt, "turn": 1012, "number": 12}]})
    page.goto(f"{page.url}?locale={page.evaluate('document.documentElement.lang')}")
    expect(page.locator(".receipts summary")).to_be_visible()


def store(page: Page, name: str, value: object) -> None:
    """Store a value as a phone does that has taken part in the event."""
    page.evaluate(f"kept => localStorage.setItem('crowdgame:{CODE}:{name}', kept)", json.dumps(value))


def go_offline(page: Page, fake_gateway: FakeGateway) -> None:
    page.context.set_offline(True)
    fake_gateway.close_sockets()
    at_phase(page, "lost")


def close_for_good(page: Page, fake_gateway: FakeGateway, code: int, phase: str = "away") -> None:
    fake_gateway.close_sockets(code)
    at_phase(page, phase)


def reject_as_crowded(page: Page, fake_gateway: FakeGateway) -> None:
    """The admission queue tells the phone to retry later."""
    fake_gateway.join_answers = lambda kind: [RETRY_LATER]
    fake_gateway.say("phone", RETRY_LATER)
    close_for_good(page, fake_gateway, protocol.CloseCode.CROWDED, "crowded")


def move_voter(page: Page, fake_gateway: FakeGateway) -> None:
    fake_gateway.say("phone", fake_gateway.welcome("phone", MIDDLE.voting(fake_gateway.now()), 2))
    expect(page.locator("body")).to_have_attribute("data-team", "2")


def no_such_event(page: Page, fake_gateway: FakeGateway) -> None:
    fake_gateway.close_sockets(protocol.CloseCode.NO_SUCH_EVENT)
    expect(page.get_by_role("alert")).to_contain_text(CODE)


def scan_second_ticket(page: Page, fake_gateway: FakeGateway) -> None:
    """A second voter scans a code on a device that has a seat."""
    language = page.locator("html").get_attribute("lang")
    page.goto("about:blank")
    page.goto(f"{fake_gateway.http}/{CODE}?locale={language}#R7KQ2-B3XCD")
    expect(page.locator('[data-do="change"]')).to_be_visible()


def open_card(page: Page, fake_gateway: FakeGateway) -> None:
    """Open the result card after an event in which the phone voted."""
    agreed = {str(number): number not in (2, 7) for number in range(1, 13) if number != 5}
    store(page, "record", {"match": 1, "turn": 1012, "choice": OWN, "agreed": agreed})
    page.reload()
    page.locator('[data-do="card"]').click()
    expect(page.locator("dialog")).to_be_visible()


def open_sides(page: Page, fake_gateway: FakeGateway) -> None:
    page.locator('[data-do="side"]').click()
    expect(page.locator("dialog.sides")).to_be_visible()


def reveal_side(page: Page, fake_gateway: FakeGateway) -> None:
    """Look at one's own side after a side change was recorded."""
    changes = (protocol.AcceptedSideChange(turn=2, team=2),)
    fake_gateway.say("phone", protocol.SideChanged(side_changes=changes))
    open_sides(page, fake_gateway)
    page.locator('[data-do="look"]').click()
    expect(page.locator(".plate b")).to_be_visible()


def show_keys(page: Page, fake_gateway: FakeGateway, allowed: bool = False) -> None:
    """Show the presenter's keys; `allowed`: the browser is logged in to the console."""
    now = fake_gateway.now()
    welcome = protocol.ConsoleWelcomed(now_at=now, seq=0, join_url="", state=MIDDLE.voting(now))

    def answer(socket: WebSocketRoute) -> None:
        if allowed:
            socket.on_message(lambda _: socket.send(msgspec.json.encode(welcome).decode()))
        else:
            socket.close(code=protocol.CloseCode.NOT_ALLOWED)

    page.route_web_socket("**/ws/console", answer)
    page.reload()
    at_phase(page, "voting")
    page.keyboard.press("?")
    access = page.locator(".hints [data-access]")
    expect(access).to_have_attribute("data-access", "in" if allowed else "out")
