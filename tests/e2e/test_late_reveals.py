"""A result that comes late is shown from its first step."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import CODE, MIDDLE, at_phase


@pytest.mark.parametrize(("kind", "path"), [("display", "/display/"), ("phone", "/")])
def test_late_reveal_begins_when_it_arrives(
    window: Page, fake_gateway: FakeGateway, kind: str, path: str
) -> None:
    fake_gateway.show(MIDDLE.sealed(fake_gateway.now()))
    window.goto(f"{fake_gateway.http}{path}{CODE}")
    at_phase(window, "sealed")
    late = MIDDLE.play(4, 5).reveal(fake_gateway.now(), "lines", slower=2)
    fake_gateway.say(kind, fake_gateway.change("turn.revealed", late))
    at_first = "The result is delayed" if kind == "display" else "How both teams voted"
    expect(window.locator(".caption, .sentence")).to_have_text(at_first)
    expect(window.locator("body")).to_have_attribute("data-phase", "reveal")
