"""Page size, requests and memory of a phone. `make bench-pages` measures the times."""

import pytest
from playwright.sync_api import Browser

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.measurements.phone import LANGUAGES, count_requests, growth, page_bytes
from tests.e2e.scenes import CODE

MAX_BYTES = 12 * 1024
MAX_GROWTH = 0.01


@pytest.mark.parametrize("language", LANGUAGES)
def test_phone_page_size_is_limited_in_every_language(fake_gateway: FakeGateway, language: str) -> None:
    assert page_bytes(fake_gateway, language) <= MAX_BYTES


def test_phone_loads_one_page_and_one_socket(browser: Browser, fake_gateway: FakeGateway) -> None:
    asked, sockets = count_requests(browser, fake_gateway)
    assert asked == [f"{fake_gateway.http}/{CODE}"]
    assert sockets == 1


@pytest.mark.nightly
def test_phone_memory_does_not_grow_with_messages(browser: Browser, fake_gateway: FakeGateway) -> None:
    heap, nodes = growth(browser, fake_gateway)
    assert heap <= MAX_GROWTH
    assert nodes <= 0
