"""Page sizes and requests, and the memory of a phone. `make bench-pages` measures the times."""

import re
import urllib.request
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.measurements.dev_tools import idle_memory
from tests.e2e.scene_setup import CODE, MIDDLE, Show, with_terms
from tests.e2e.screens import TIMEOUT_MS
from voting.protocol import TurnoutCounted

LATER = re.compile(r"/static/app/(barlow-condensed-latin-[68]00-normal-\S+\.woff2|particles-\S+\.js)$")


def page_bytes(url: str, language: str = "en") -> int:
    headers = {"Accept-Encoding": "gzip", "Accept-Language": language}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:  # noqa: S310
        return len(response.read())


@pytest.fixture
def asked(window: Page) -> list[str]:
    asked: list[str] = []
    window.on("request", lambda request: asked.append(request.url))
    window.on("websocket", lambda socket: asked.append(socket.url))
    return asked


@pytest.mark.parametrize("language", ["ar", "de", "en", "es", "fr", "pt", "zh-hans"])
def test_phone_page_size_is_limited_in_every_language(fake_gateway: FakeGateway, language: str) -> None:
    assert page_bytes(f"{fake_gateway.http}/{CODE}", language) <= 12 * 1024


def test_phone_loads_one_page_and_one_socket(show: Show, fake_gateway: FakeGateway, asked: list[str]) -> None:
    page = show("phone", MIDDLE.voting)
    page.wait_for_selector("[data-column]:enabled")
    page.wait_for_load_state("networkidle")
    assert asked[0] == f"{fake_gateway.http}/{CODE}"
    assert [url.partition(":")[0] for url in asked[1:] if not url.startswith("data:")] == ["ws"]


@pytest.mark.nightly
def test_phone_memory_does_not_grow_with_messages(show: Show, fake_gateway: FakeGateway) -> None:
    scripted = with_terms(MIDDLE, window_s=3600)
    open_turn = partial(scripted.voting, left_ms=1_800_000)
    page = show("phone", open_turn)

    def feed(messages: int) -> tuple[int, int]:
        """Send a full state with every tenth turnout; then a pause, to know that all was received."""
        for number in range(messages):
            if number % 10:
                voted = (number % 1200, number % 1100)
                turnout = TurnoutCounted(turn=scripted.turn_id, connected=(1250, 1190), voted=voted)
                fake_gateway.say("phone", turnout)
            else:
                fake_gateway.announce("phone", "turn.moved", open_turn)
        for phase, last in (("paused", scripted.paused), ("voting", open_turn)):
            fake_gateway.announce("phone", "turn.moved", last)
            page.wait_for_selector(f"body[data-phase={phase}]", timeout=4 * TIMEOUT_MS)
        return idle_memory(page)

    heap, nodes = feed(1_500)
    heap_after, nodes_after = feed(5_000)
    assert heap_after <= 1.01 * heap
    assert nodes_after <= nodes


def test_display_loads_only_its_page_before_the_first_picture(
    show: Show, fake_gateway: FakeGateway, asked: list[str]
) -> None:
    """Fonts and particles follow; fonts only with the characters that are shown."""
    show("display", MIDDLE.voting).wait_for_load_state("networkidle")
    url = f"{fake_gateway.http}/display/{CODE}"
    assert asked[0] == url
    assert [url for url in asked[1:] if url.startswith("http") and not LATER.search(url)] == []
    assert page_bytes(url) <= 60_000


def test_display_draws_board_while_fonts_and_particles_load(window: Page, fake_gateway: FakeGateway) -> None:
    window.route(LATER, lambda route: None)
    fake_gateway.show(MIDDLE.voting(fake_gateway.now()))
    with window.expect_request(LATER):
        window.goto(f"{fake_gateway.http}/display/{CODE}", wait_until="commit")
    expect(window.locator(".dock")).to_be_visible()
    expect(window.get_by_role("timer")).to_be_visible()
