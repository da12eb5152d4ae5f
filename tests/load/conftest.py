import pytest

from tests.stack import house, spread_over_servers

__all__ = ["house"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    spread_over_servers(metafunc, both=True)
