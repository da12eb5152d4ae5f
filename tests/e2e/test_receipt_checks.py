"""Automatic receipt checks on the phone, and its warning if a vote is not in the count."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Route, WebSocket, WebSocketRoute, expect

from games.engine.game import SIDES
from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, Screen, vote, wait_until
from tests.e2e.visible_text import NEXT_FRAME_JS, faults, visible_lines
from tests.server import Server

Message = dict[str, Any]
ELSEWHERE = "0" * 64
NOT_FOUND = "Your vote is missing from the count. Show this to the organizers: turn 1, column 4, code "


@dataclass
class Line:
    """The messages between a page and the server."""

    received: list[Message] = field(default_factory=list)
    said: list[Message] = field(default_factory=list)

    def listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: self.received.append(json.loads(frame)))
        socket.on("framesent", lambda frame: self.said.append(json.loads(frame)))

    def of(self, kind: str) -> list[Message]:
        return [message for message in [*self.received, *self.said] if message["type"] == kind]


@dataclass
class Table:
    """A display and one phone per team, in an open turn."""

    server: Server
    event: Message
    display: Screen
    red: Screen
    yellow: Screen
    seen: Line = field(default_factory=Line, init=False)
    line: Line = field(default_factory=Line, init=False)


@pytest.fixture
def table(server: Server, open_at: OpenScreen) -> Table:
    event = server.ask("event", lobby="open", window_s=90, pace="dramatic")
    sizes = {"display": PROJECTOR, "red": PHONE, "yellow": PHONE}
    screens = {name: open_at(server, f"check-{name}", size) for name, size in sizes.items()}
    table = Table(server, event, **screens)
    table.display.page.on("websocket", table.seen.listen)
    table.red.page.on("websocket", table.line.listen)
    return table


def sit_down(table: Table) -> None:
    table.display.page.goto(f"/display/{table.event['code']}")
    for phone, team in ((table.red, "1"), (table.yellow, "2")):
        phone.page.goto(f"/{table.event['code']}")
        phone.wait_for(phase="lobby", team=team)
    table.server.ask("open_turn_now", event_id=table.event["id"])
    for screen in (table.display, table.red, table.yellow):
        screen.wait_for(phase="voting")


def close(table: Table) -> None:
    table.server.ask("close_after", event_id=table.event["id"], ms=300)
    for screen in (table.display, table.yellow):
        screen.wait_for(phase="reveal")


def test_receipt_is_checked_after_page_reload(table: Table) -> None:
    sit_down(table)
    vote(table.red, 2)
    vote(table.red, 4)
    vote(table.yellow, 5)
    table.red.page.reload()
    table.red.wait_for(phase="voting")
    close(table)
    check_display(table)
    receipts = table.red.page.locator(".receipts")
    expect(receipts.locator("summary")).to_contain_text("Counted and checked", timeout=TIMEOUT_MS)
    table.red.shoot("checked")
    expect(receipts.get_by_role("listitem")).to_be_hidden()
    receipts.locator("summary").focus()
    table.red.page.keyboard.press("Enter")
    cast = table.line.of("ballot.cast")[-1]
    expect(receipts.get_by_role("listitem")).to_contain_text("Turn 1, column 4: counted and checked")
    expect(receipts.get_by_role("listitem")).to_contain_text(cast["blind"])
    assert cast["choice"] == 4
    assert len({message["blind"] for message in table.line.of("ballot.cast")}) == len({2, 4})
    assert len(table.line.of("receipt.ask")) == 1
    assert table.red.errors == table.yellow.errors == table.display.errors == []


@pytest.mark.nightly
def test_vote_in_another_tab_is_shown_whatever_its_gateway(table: Table) -> None:
    """The first tab receives no `ballot.changed`, as if the second one were connected to another gateway."""

    def handle(line: WebSocketRoute) -> None:
        server = line.connect_to_server()
        server.on_message(lambda frame: None if b"ballot.changed" in to_bytes(frame) else line.send(frame))

    table.red.page.route_web_socket("**/ws/phone", handle)
    sit_down(table)
    vote(table.red, 2)
    page = table.red.page.context.new_page()
    page.goto(f"/{table.event['code']}")
    page.locator('[data-column="5"]').click()
    for tab in (page, table.red.page):
        expect(tab.get_by_text("Counted: your vote for 5")).to_be_visible(timeout=TIMEOUT_MS)
    table.red.shoot("other-tab")
    close(table)
    for tab in (page, table.red.page):
        expect(tab.locator(".receipts summary")).to_contain_text("Counted and checked", timeout=TIMEOUT_MS)


def to_bytes(frame: str | bytes) -> bytes:
    return frame if isinstance(frame, bytes) else frame.encode()


def check_display(table: Table) -> None:
    """The sealed roots equal the revealed ones, and the display does not warn."""
    sealed = table.seen.of("turn.sealed")[0]
    reveal = table.seen.of("turn.revealed")[0]["state"]["match"]["reveal"]
    assert [sealed[side]["root"] for side in SIDES] == [reveal[side]["root"] for side in SIDES]
    expect(table.display.page.locator('.seal[data-broken="true"]')).to_have_count(0)


def test_receipt_check_detects_forged_path(table: Table) -> None:
    def handle(line: WebSocketRoute) -> None:
        def pass_on(frame: str | bytes) -> None:
            message = json.loads(frame)
            if message["type"] == "receipt.issued":
                message["path"] = [ELSEWHERE]
            line.send(json.dumps(message))

        line.connect_to_server().on_message(pass_on)

    table.red.page.route_web_socket("**/ws/phone", handle)
    sit_down(table)
    vote(table.red, 4)
    vote(table.yellow, 5)
    close(table)
    missing = table.red.page.get_by_role("alert")
    expect(missing).to_contain_text(NOT_FOUND, timeout=TIMEOUT_MS)
    expect(table.red.page.locator(".receipts")).to_have_count(0)
    table.red.shoot("missing")
    table.display.wait_for(phase="voting", turn="2")
    vote(table.red, 3)
    expect(missing).to_contain_text(NOT_FOUND)
    table.red.page.reload()
    expect(missing).to_contain_text(NOT_FOUND, timeout=TIMEOUT_MS)


def play_to_the_end(table: Table) -> None:
    """The phones watch three turns and vote in the fourth, which ends the match."""
    sit_down(table)
    table.server.ask("play_to", event_id=table.event["id"], picks=[[1, 2], [1, 3], [1, 2]])
    table.display.wait_for(phase="voting", turn="4")
    for phone, column in ((table.red, 1), (table.yellow, 3)):
        phone.wait_for(phase="voting")
        vote(phone, column)
    close(table)
    table.red.wait_for(phase="ended")


@pytest.mark.nightly
def test_phone_compares_its_seals_with_published_record(table: Table) -> None:
    play_to_the_end(table)
    receipts = table.red.page.locator(".receipts")
    expect(receipts.locator("summary")).to_contain_text("✓✓", timeout=TIMEOUT_MS)
    receipts.locator("summary").click()
    expect(receipts).to_contain_text("All 4 seals this phone received match the published record.")
    table.red.shoot("seals-match")
    expect(table.red.page.get_by_role("alert")).to_have_count(0)
    assert table.red.errors == []


def publish_another_root(turn: Message) -> None:
    turn["seals"][-1]["yellow"] = ELSEWHERE


def void_the_turn(turn: Message) -> None:
    del turn["sealed_at"]


@pytest.mark.parametrize(
    ("forge_turn", "text"),
    [
        (publish_another_root, "The published record differs from this phone's seals: turn 2."),
        pytest.param(
            void_the_turn,
            "The votes of turn 2 were replaced, and this phone didn't see why.",
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_phone_warns_if_another_record_is_published(
    table: Table, forge_turn: Callable[[Message], None], text: str
) -> None:
    """The server publishes something else about the second turn than it sent to this phone."""
    asked: list[str] = []

    def forge(route: Route) -> None:
        roots = route.fetch().json()
        forge_turn(roots["turns"][1])
        asked.append(route.request.url)
        route.fulfill(json=roots)

    table.red.page.route("**/roots.json", forge)
    play_to_the_end(table)
    warning = table.red.page.get_by_role("alert")
    expect(warning).to_contain_text(text, timeout=45_000)
    assert len(asked) == 2
    expect(table.red.page.locator(".receipts summary")).not_to_contain_text("✓✓")
    table.red.shoot(forge_turn.__name__)
    for width, height in ((320, 568), (844, 390)):
        table.red.page.set_viewport_size({"width": width, "height": height})
        table.red.page.evaluate(NEXT_FRAME_JS)
        assert faults(visible_lines(table.red.page), width, height) == []


@pytest.mark.nightly
def test_phone_reports_vote_that_was_too_late(table: Table) -> None:
    """The phone is offline from before the tap until after the reveal."""
    lines: list[WebSocketRoute] = []
    away = [False]

    def handle(line: WebSocketRoute) -> None:
        lines.append(line)
        if away[0]:
            line.close(code=1001)
        else:
            line.connect_to_server()

    table.red.page.route_web_socket("**/ws/phone", handle)
    sit_down(table)
    away[0] = True
    lines[0].close(code=1001)
    table.red.wait_for(phase="lost")
    table.red.page.locator('[data-column="6"]').click()
    expect(table.red.page.locator("main")).to_have_attribute("data-status", "sending")
    vote(table.yellow, 5)
    close(table)
    away[0] = False
    table.red.page.evaluate("dispatchEvent(new Event('online'))")
    said = table.red.page.locator(".sentence")
    expect(said).to_contain_text("Your last tap came too late.", timeout=TIMEOUT_MS)
    table.red.shoot("late")
    wait_until(table.red, lambda: bool(table.line.of("receipt.ask")))
    expect(table.red.page.get_by_role("alert")).to_have_count(0)
