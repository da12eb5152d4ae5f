import pytest

from tests.server import server, servers, spread_over_asgi_servers
from tests.socket_clients import clients

__all__ = ["clients", "server", "servers"]

ON_BOTH_SERVERS = ("test_hosts", "test_fuzz", "test_floods")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    spread_over_asgi_servers(metafunc, both=metafunc.module.__name__.endswith(ON_BOTH_SERVERS))
