from collections.abc import Sequence
from itertools import cycle
from types import SimpleNamespace

import pytest

from tests.voting.conftest import clients, pytest_generate_tests, server, servers
from tests.voting.page_fixtures import browser, event, organizer, other

__all__ = ["browser", "clients", "event", "organizer", "other", "pytest_generate_tests", "server", "servers"]


@pytest.fixture(autouse=True)
def drawn_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    """The creators of a test's duels sit in team 1, 2, 1, 2 and so on: the same in every run."""
    numbers = cycle((0, 1))

    def choose(seats: Sequence[int]) -> int:
        return seats[next(numbers)]

    monkeypatch.setattr("crowdgame.play.duels.duels.secrets", SimpleNamespace(choice=choose))
