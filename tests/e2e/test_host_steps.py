"""A match whose reveals and next turns wait for the organizer."""

import pytest

from tests.e2e.conftest import OpenScreen
from tests.e2e.page_visits import sign_in
from tests.e2e.screens import PHONE, press, vote
from tests.e2e.test_console import OWNER, open_console, open_wall
from tests.server import Server


@pytest.mark.nightly
@pytest.mark.parametrize(("led_from", "key"), [("console", "Space"), ("wall", "PageDown")])
def test_host_reveals_and_goes_on_with_one_key(
    led_from: str, key: str, server: Server, open_at: OpenScreen
) -> None:
    terms = {"window_s": 300, "host_wait_s": 180, "close_early": True, "pace": "brisk"}
    event = server.ask("event", owner=OWNER, lobby="open", **terms)
    console = open_console(server, open_at, event["code"])
    phones = [open_at(server, f"phone-{number}", PHONE) for number in (1, 2)]
    for phone in phones:
        phone.page.goto(f"/{event['code']}")
        phone.wait_for(phase="lobby")
    press(console, "match.start")
    wall = open_wall(console, server, open_at)
    led = wall if led_from == "wall" else console
    if led is wall:
        sign_in(wall.page, server, OWNER)
        wall.page.reload()
    else:
        console.page.locator("summary").first.click()  # it doesn't keep the focus
    for phone in phones:
        phone.wait_for(phase="voting")
        vote(phone, 4)
    wall.wait_for(phase="sealed")
    led.page.wait_for_timeout(1_500)  # without the key, nothing should happen
    phones[0].wait_for(phase="sealed")
    led.page.keyboard.press(key)
    phones[0].wait_for(phase="reveal")
    led.page.wait_for_timeout(15_000)
    assert wall.page.locator("body").get_attribute("data-phase") != "voting"
    led.page.keyboard.press(key)
    wall.wait_for(phase="voting", turn="2")
    assert console.errors + phones[0].errors + phones[1].errors == []
