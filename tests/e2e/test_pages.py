"""Accessibility of the organizer's and public pages with axe, in light and dark mode."""

import pytest
from playwright.sync_api import Page

from tests.e2e import axe
from tests.e2e.conftest import OpenScreen
from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.page_visits import PAGES, Visit, visit
from tests.e2e.phone_scenes import PHONE_SCENES
from tests.e2e.scene_setup import show_scene
from tests.e2e.screens import TABLET
from tests.server import Server


@pytest.mark.nightly
@pytest.mark.parametrize("visited", PAGES, ids=[visited.name for visited in PAGES])
def test_every_page_is_accessible_in_light_and_dark(
    server: Server, open_at: OpenScreen, visited: Visit
) -> None:
    screen = open_at(server, f"axe-{visited.name}", TABLET)
    visit(visited, screen.page, server)
    assert axe.check(screen.page, visited.name) == []


def test_axe_detects_a_violation(fake_gateway: FakeGateway, window: Page) -> None:
    """Otherwise the other tests would prove nothing."""
    show_scene("phone", PHONE_SCENES[0], window, fake_gateway)
    window.evaluate("document.body.append(document.createElement('button'))")
    assert "button-name" in axe.check(window, "broken", ("light",))[0]
