"""Automatic receipt checks on the phone, and its warning if a vote is not in the count."""

import json
from typing import Any

from playwright.sync_api import Page, Route, WebSocket, WebSocketRoute, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.open_turn import make_event, open_turn
from tests.e2e.screens import TIMEOUT_MS, vote
from tests.e2e.visible_text import NEXT_FRAME_JS, faults, visible_lines
from tests.server import Server

Message = dict[str, Any]
ELSEWHERE = "0" * 64


def record_frames(page: Page) -> tuple[list[Message], list[Message]]:
    """The messages that the page's sockets send and receive, as they come."""
    sent: list[Message] = []
    received: list[Message] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: sent.append(json.loads(frame)))
        socket.on("framereceived", lambda frame: received.append(json.loads(frame)))

    page.on("websocket", listen)
    return sent, received


def test_receipt_is_checked_after_page_reload(server: Server, open_at: OpenScreen) -> None:
    event, screens = make_event(server, open_at)
    display, red, yellow = screens
    (said, _), (_, seen) = record_frames(red.page), record_frames(display.page)
    open_turn(server, event, screens)
    vote(red, 2)
    vote(red, 4)
    vote(yellow, 5)
    red.page.reload()
    red.wait_for(phase="voting")
    server.ask("close_after", event_id=event["id"], ms=300)
    receipts = red.page.locator(".receipts")
    expect(receipts.locator("summary")).to_contain_text("Counted and checked")
    expect(receipts.get_by_role("listitem")).to_be_hidden()
    receipts.locator("summary").focus()
    red.page.keyboard.press("Enter")
    casts = [message for message in said if message["type"] == "ballot.cast"]
    assert len({cast["blind"] for cast in casts}) == len({2, 4})
    assert casts[-1]["choice"] == 4
    expect(receipts.get_by_role("listitem")).to_contain_text("Turn 1, column 4: counted and checked")
    expect(receipts.get_by_role("listitem")).to_contain_text(casts[-1]["blind"])
    assert [message["type"] for message in said].count("receipt.ask") == 1

    display.wait_for(phase="reveal")
    sealed = next(message for message in seen if message["type"] == "turn.sealed")
    revealed = next(message for message in seen if message["type"] == "turn.revealed")
    reveal = revealed["state"]["match"]["reveal"]
    assert all(sealed[side]["root"] == reveal[side]["root"] for side in ("red", "yellow"))
    expect(display.page.locator('.seal[data-broken="true"]')).to_have_count(0)


def test_receipt_check_detects_forged_path(server: Server, open_at: OpenScreen) -> None:
    def handle(line: WebSocketRoute) -> None:
        def pass_on(frame: str | bytes) -> None:
            message = json.loads(frame)
            if message["type"] == "receipt.issued":
                message["path"] = [ELSEWHERE]
            line.send(json.dumps(message))

        line.connect_to_server().on_message(pass_on)

    event, screens = make_event(server, open_at)
    display, red, yellow = screens
    red.page.route_web_socket("**/ws/phone", handle)
    open_turn(server, event, screens)
    vote(red, 4)
    vote(yellow, 5)
    server.ask("close_after", event_id=event["id"], ms=300)
    missing = red.page.get_by_role("alert")
    text = "Your vote is missing from the count. Show this to the organizers: turn 1, column 4, code "
    expect(missing).to_contain_text(text)
    expect(red.page.locator(".receipts")).to_have_count(0)
    display.wait_for(phase="voting", turn="2")
    vote(red, 3)
    expect(missing).to_contain_text(text)
    red.page.reload()
    expect(missing).to_contain_text(text)


def test_phone_warns_if_another_record_is_published(server: Server, open_at: OpenScreen) -> None:
    """The server publishes another root of the second turn than it sent to this phone."""
    asked: list[str] = []

    def forge(route: Route) -> None:
        roots = route.fetch().json()
        roots["turns"][1]["seals"][-1]["yellow"] = ELSEWHERE
        asked.append(route.request.url)
        route.fulfill(json=roots)

    event, screens = make_event(server, open_at)
    display, red, yellow = screens
    red.page.route("**/roots.json", forge)
    open_turn(server, event, screens)
    server.ask("play_to", event_id=event["id"], picks=[[1, 2], [1, 3], [1, 2]])
    display.wait_for(phase="voting", turn="4")
    for phone, column in ((red, 1), (yellow, 3)):
        phone.wait_for(phase="voting")
        vote(phone, column)
    server.ask("close_after", event_id=event["id"], ms=300)
    red.wait_for(2 * TIMEOUT_MS, phase="ended")
    text = "The published record differs from this phone's seals: turn 2."
    expect(red.page.get_by_role("alert")).to_contain_text(text, timeout=3 * TIMEOUT_MS)
    assert len(asked) == 2
    expect(red.page.locator(".receipts summary")).not_to_contain_text("✓✓")
    for width, height in ((320, 568), (844, 390)):
        red.page.set_viewport_size({"width": width, "height": height})
        red.page.evaluate(NEXT_FRAME_JS)
        assert faults(visible_lines(red.page), width, height) == []
