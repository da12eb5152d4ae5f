"""An event of the organizer olga, her browser, and a receiver of webhooks."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.crowdgame.organizer.api.receiver import Receiver, running_receiver
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


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOKS = "private"
    with running_receiver() as running:
        yield running
