"""An event of the organizer olga."""

import pytest

from tests.voting.match_helpers import new_event
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event


@pytest.fixture
def event(box: BallotBox) -> Event:
    return new_event(options={"token": "red"}, window_s=60)
