"""An event with a display and a phone in each team, and its open turn."""

from typing import Any

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, SMALL_PHONE, Screen
from tests.server import Server

Event = dict[str, Any]
Screens = tuple[Screen, Screen, Screen]


def make_event(server: Server, open_at: OpenScreen, **choices: Any) -> tuple[Event, Screens]:
    """An event with long turns; its display, red's and yellow's phone are still empty."""
    event: Event = server.ask("event", lobby="open", window_s=90, **{"pace": "dramatic", **choices})
    return event, (open_at(PROJECTOR), open_at(PHONE), open_at(SMALL_PHONE))


def open_turn(server: Server, event: Event, screens: Screens) -> None:
    display, *phones = screens
    display.page.goto(f"/display/{event['code']}")
    for team, phone in enumerate(phones, 1):
        phone.page.goto(f"/{event['code']}")
        phone.wait_for(phase="lobby", team=str(team))
    server.ask("open_turn_now", event_id=event["id"])
    for screen in screens:
        screen.wait_for(phase="voting")
