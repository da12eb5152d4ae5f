from collections.abc import Iterator
from functools import cache

import pytest

from crowdgame.analysis import turn_solving
from games.solver.solver import solve
from tests.voting.conftest import clients, pytest_generate_tests, server, servers
from tests.voting.page_fixtures import browser, event, organizer, other

__all__ = [
    "browser",
    "clients",
    "event",
    "organizer",
    "other",
    "pytest_generate_tests",
    "server",
    "servers",
]


@pytest.fixture(scope="session", autouse=True)
def solve_each_position_once() -> Iterator[None]:
    """Most matches of the tests begin alike, and each answer takes most of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turn_solving, "solve", cache(solve))
        yield
