"""Pages have the event preloaded, a new phone's also a seat: neither waits for the socket."""

from functools import partial
from typing import Any

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR
from tests.server import Server

STORED_S = 1_200  # long enough that ballots are stored in the database, where the test reads them
BALLOTS = """SELECT side, "choice" FROM voting_storedballot JOIN games_turn ON games_turn.id = turn_id
  JOIN games_match ON games_match.id = match_id WHERE event_id = ?"""


@pytest.fixture
def made(server: Server, open_at: OpenScreen) -> dict[str, Any]:
    """An event with an open first turn, and a display, so that its gateway has loaded the event."""
    made: dict[str, Any] = server.ask("event", lobby="open", window_s=STORED_S)
    server.ask("begin", event_id=made["id"])
    open_at(PROJECTOR, f"/display/{made['code']}").wait_for(phase="voting")
    return made


def test_display_shows_board_and_clock_before_connection(made: dict[str, Any], open_at: OpenScreen) -> None:
    page = open_at(PROJECTOR).page
    page.route_web_socket("**/ws/display", lambda end: None)
    page.goto(f"/display/{made['code']}")
    expect(page.locator(".dock")).to_be_visible()
    expect(page.get_by_role("timer")).to_contain_text("19:")


def test_first_vote_is_cast_before_connection_and_counted_later(
    server: Server, made: dict[str, Any], open_at: OpenScreen
) -> None:
    page = open_at(PHONE).page
    said: list[str | bytes] = []
    sockets: list[WebSocketRoute] = []

    def hold(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.on_message(partial(said.append))

    page.route_web_socket("**/ws/phone", hold)
    page.goto(f"/{made['code']}")
    page.locator('[data-column="3"]').click()
    expect(page.locator("main")).to_have_attribute("data-status", "sending")
    side = page.locator("body").get_attribute("data-side")
    assert server.rows(BALLOTS, made["id"]) == []
    gateway = sockets[0].connect_to_server()
    sockets[0].on_message(partial(gateway.send))
    for frame in said:
        gateway.send(frame)
    expect(page.locator("main")).to_have_attribute("data-status", "counted")
    assert [tuple(row) for row in server.rows(BALLOTS, made["id"])] == [(side, 3)]
