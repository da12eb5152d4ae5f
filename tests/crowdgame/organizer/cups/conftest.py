"""The browser of the organizer olga, and boards that no earlier test has cached."""

import pytest
from django.test import Client

from crowdgame.organizer.cups import board_view as cup_board
from tests.voting.match_helpers import organizer


@pytest.fixture(autouse=True)
def _empty_board_cache() -> None:
    cup_board._cache.clear()


@pytest.fixture
def olga(client: Client) -> Client:
    client.force_login(organizer())
    return client
