"""Matches whose ballot box has several shards: which ones have them, and turns that lose one."""

from typing import Any

import pytest

from tests.voting.match_helpers import CLASSIC, SELECTOR, new_event
from voting.matches import create_match

pytestmark = pytest.mark.django_db


@pytest.fixture
def shards() -> int:
    return 3


@pytest.mark.parametrize(
    ("terms", "count"),
    [
        ({}, 3),
        ({"game": CLASSIC, "host_wait_s": 60, "peek": True}, 3),
        ({"bank_s": 60}, 1),
        ({"is_duel": True}, 1),
        ({"max_side_changes": 1}, 1),
        ({"game": SELECTOR}, 1),
    ],
)
def test_match_has_shards_unless_by_clocks_or_secret(terms: dict[str, Any], count: int, shards: int) -> None:
    assert create_match(new_event(**terms, shards=shards), now=5).shards == count
