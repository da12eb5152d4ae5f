from collections.abc import Iterator

import pytest
from redis import Redis

from tests.voting.box_helpers import running
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn


@pytest.fixture
def shards() -> int:
    """The number of shards of the box; some modules have several."""
    return 1


@pytest.fixture
def turn(box: BallotBox, shards: int) -> BoxedTurn:
    turn = running(box, shards=shards)
    assert box.place(turn, create=True)
    return turn


@pytest.fixture
def redis(valkey_url: str) -> Iterator[Redis]:
    with Redis.from_url(valkey_url) as redis:
        yield redis
