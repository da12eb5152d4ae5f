"""Page size, requests and memory of a phone. `make bench-pages` measures the times."""

import pytest
from playwright.sync_api import Browser

from tests.e2e.fake_gateway import Prompter
from tests.e2e.measurements.phone import LANGUAGES, asked_for, growth, weight
from tests.e2e.scenes import CODE

MOST_BYTES = 12 * 1024
MOST_GROWTH = 0.01


@pytest.mark.parametrize("language", LANGUAGES)
def test_phone_page_size_is_limited_in_every_language(prompter: Prompter, language: str) -> None:
    assert weight(prompter, language) <= MOST_BYTES


def test_phone_loads_one_page_and_one_socket(browser: Browser, prompter: Prompter) -> None:
    asked, sockets = asked_for(browser, prompter)
    assert asked == [f"{prompter.http}/{CODE}"]
    assert sockets == 1


def test_phone_memory_does_not_grow_with_messages(browser: Browser, prompter: Prompter) -> None:
    heap, nodes = growth(browser, prompter)
    assert heap <= MOST_GROWTH
    assert nodes <= 0
