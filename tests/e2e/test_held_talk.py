"""A turn that is paused in its talk time: no votes are shown, and the time left is that to talk."""

import re

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import MIDDLE, Scene, show_scene
from tests.e2e.screens import TIMEOUT_MS
from tests.e2e.test_console import OWNER, open_console
from tests.server import Server
from voting.protocol import EventState

NUMBERS_ON_SCREEN = {"display": ".footer", "phone": ".clock"}


def held(now: int) -> EventState:
    state = MIDDLE.paused(now)
    assert state.match is not None
    assert state.match.turn is not None
    turn = replace(state.match.turn, talk_ms=9_000, left_ms=20_000)
    return replace(state, match=replace(state.match, turn=turn))


@pytest.mark.parametrize("screen", NUMBERS_ON_SCREEN)
def test_screens_show_talk_time_left_and_no_votes(
    screen: str, fake_gateway: FakeGateway, window: Page
) -> None:
    show_scene(screen, Scene("held-talk", held, "paused"), window, fake_gateway)
    expect(window.locator(NUMBERS_ON_SCREEN[screen])).to_contain_text(re.compile(r"\b9\b"))
    expect(window.locator("[data-turnout]")).to_have_count(0)


def test_console_shows_talk_time_left_and_no_votes(server: Server, open_at: OpenScreen) -> None:
    event = server.ask("event", owner=OWNER, lobby="open", window_s=90, talk_s=60)
    console = open_console(server, open_at, event["code"])
    console.page.locator('[data-action="match.start"]').first.click(timeout=TIMEOUT_MS)
    console.page.locator('[data-action="turn.pause"]').first.click(timeout=TIMEOUT_MS)
    clock = console.page.locator(".event-status .clock b")
    expect(clock).to_have_text(re.compile(r"^([1-5]?\d|1:00)$"), timeout=TIMEOUT_MS)
    expect(console.page.locator("[data-voted]").first).to_be_hidden()
