import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Room ids repeat between tests."""
    cache.clear()
