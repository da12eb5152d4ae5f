import pytest

from tests.faces import faces_of
from tests.server import house, houses, spread_over_servers

__all__ = ["faces", "house", "houses"]

ON_BOTH_SERVERS = ("test_hosts", "test_fuzz")

faces = pytest.fixture(faces_of)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    spread_over_servers(metafunc, both=metafunc.module.__name__.endswith(ON_BOTH_SERVERS))
