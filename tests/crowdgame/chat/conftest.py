import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Rooms of another test had the same numbers."""
    cache.clear()
