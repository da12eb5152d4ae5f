"""What a phone has to load and to keep: sizes and counts. How long that takes is `make faces`'s to say."""

import pytest
from playwright.sync_api import Browser

from tests.e2e.measurements.phone import LANGUAGES, asked_for, growth, weight
from tests.e2e.prompter import Prompter
from tests.e2e.scenes import CODE

MOST_BYTES = 12 * 1024
MOST_GROWTH = 0.01


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_light_in_every_language(prompter: Prompter, language: str) -> None:
    assert weight(prompter, language) <= MOST_BYTES


def test_a_phone_asks_for_one_page_and_one_socket(browser: Browser, prompter: Prompter) -> None:
    asked, sockets = asked_for(browser, prompter)
    assert asked == [f"{prompter.http}/{CODE}"]
    assert sockets == 1


def test_what_a_phone_hears_it_does_not_keep(browser: Browser, prompter: Prompter) -> None:
    heap, nodes = growth(browser, prompter)
    assert heap <= MOST_GROWTH
    assert nodes <= 0
