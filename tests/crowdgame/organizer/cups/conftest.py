import pytest
from django.test import Client

from tests.voting.match_helpers import organizer


@pytest.fixture
def olga(client: Client) -> Client:
    client.force_login(organizer())
    return client
