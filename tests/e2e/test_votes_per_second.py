"""The display's votes per second: shown while a vote is open, hidden with the turnout."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.fake_gateway import TURNOUT, FakeGateway
from tests.e2e.scene_setup import MIDDLE, Scene, show_scene, with_options
from voting.protocol import BoxFigures, TurnoutCounted

RATE = "[data-rate]"
OTHER_PARTS = ".footer .address, .cabinet, .clock"
BOXES_JS = "parts => parts.map(part => JSON.stringify(part.getBoundingClientRect()))"


def test_display_updates_votes_per_second_in_place(window: Page, fake_gateway: FakeGateway) -> None:
    show_scene("display", Scene("", MIDDLE.voting, "voting"), window, fake_gateway)
    expect(window.locator(RATE)).to_have_text(f"· {TURNOUT['votes_per_s']} votes/s")
    before = window.locator(OTHER_PARTS).evaluate_all(BOXES_JS)
    faster: dict[str, Any] = TURNOUT | {"votes_per_s": 1234}
    figures = BoxFigures(changed=2345)
    fake_gateway.say("display", TurnoutCounted(turn=MIDDLE.turn_id, figures=figures, **faster))
    expect(window.locator(RATE)).to_have_text("· 1,234 votes/s")
    expect(window.locator("[data-changed]")).to_have_text("· 2,345 changed")
    assert window.locator(OTHER_PARTS).evaluate_all(BOXES_JS) == before
    slower: dict[str, Any] = TURNOUT | {"votes_per_s": 1}
    fake_gateway.say("display", TurnoutCounted(turn=MIDDLE.turn_id, figures=figures, **slower))
    expect(window.locator(RATE)).to_have_text("· 1 vote/s")


@pytest.mark.parametrize("hidden", ["turnout", "peek", "paused"])
def test_display_hides_votes_per_second(hidden: str, window: Page, fake_gateway: FakeGateway) -> None:
    scenes = {
        "turnout": Scene("", with_options(MIDDLE, hidden=("turnout",)).voting, "voting"),
        "peek": Scene("", with_options(MIDDLE, peek=True).voting, "voting"),
        "paused": Scene("", MIDDLE.paused, "paused"),
    }
    show_scene("display", scenes[hidden], window, fake_gateway)
    expect(window.locator(".footer")).to_be_visible()
    expect(window.locator(RATE)).to_have_count(0)
