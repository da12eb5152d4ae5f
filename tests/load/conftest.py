import pytest

from tests.server import server, servers, spread_over_asgi_servers

__all__ = ["server", "servers"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    spread_over_asgi_servers(metafunc, both="side_changes" not in metafunc.module.__name__)
