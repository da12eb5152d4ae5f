"""An event in an open turn: its display, and a phone of each team."""

from typing import Any

from playwright.sync_api import ViewportSize

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, Screen
from tests.server import Server

SMALL: ViewportSize = {"width": 320, "height": 568}
Event = dict[str, Any]


def make_event(
    server: Server, open_at: OpenScreen, **choices: Any
) -> tuple[Event, tuple[Screen, Screen, Screen]]:
    """An event with long turns; its display, red's and yellow's phone are still empty."""
    event: Event = server.ask("event", lobby="open", window_s=90, **{"pace": "dramatic", **choices})
    sizes = {"display": PROJECTOR, "red": PHONE, "yellow": SMALL}
    display, red, yellow = (open_at(server, f"turn-{name}", size) for name, size in sizes.items())
    return event, (display, red, yellow)


def open_turn(server: Server, event: Event, screens: tuple[Screen, Screen, Screen]) -> None:
    display, *phones = screens
    display.page.goto(f"/display/{event['code']}")
    for team, phone in enumerate(phones, 1):
        phone.page.goto(f"/{event['code']}")
        phone.wait_for(phase="lobby", team=str(team))
    server.ask("open_turn_now", event_id=event["id"])
    for screen in screens:
        screen.wait_for(TIMEOUT_MS, phase="voting")
