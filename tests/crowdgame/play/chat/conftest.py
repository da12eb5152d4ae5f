import pytest
from django.core.cache import caches


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Room ids repeat between tests."""
    caches["local"].clear()
