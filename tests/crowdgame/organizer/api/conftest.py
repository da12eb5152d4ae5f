"""An event of the organizer olga, and her browser."""

import pytest
from django.test import Client

from tests.voting.match_helpers import new_event, organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event


@pytest.fixture
def event(box: BallotBox) -> Event:
    return new_event(options={"token": "red"}, window_s=60)


@pytest.fixture
def olga(client: Client) -> Client:
    """The browser of the organizer olga, who has just entered her password."""
    user = organizer()
    user.set_password("of olga")
    user.save()
    client.force_login(user)
    client.post("/console/reauthenticate/", {"password": "of olga"})
    return client
