import os

import pytest
from pytest_django.live_server_helper import LiveServer

from crowdgame.results.analysis import analyzer
from tests.voting.match_helpers import RED_WINS, play, start
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match


@pytest.fixture(autouse=True)
def normal_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside other work, threads of the lowest priority take minutes for seconds of solving."""
    monkeypatch.setattr(analyzer, "NICE", os.nice(0))


@pytest.fixture
def url(live_server: LiveServer) -> str:
    return str(live_server.url)


@pytest.fixture
def match(box: BallotBox) -> Match:
    finished_match = start(box).match
    play(finished_match, box, RED_WINS)
    finished_match.refresh_from_db()
    return finished_match
