import pytest

from tests.server import house, houses, spread_over_servers

__all__ = ["house", "houses"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    spread_over_servers(metafunc, both="side_changes" not in metafunc.module.__name__)
