import pytest

from tests.server import server, servers, spread_over_asgi_servers
from tests.socket_clients import clients

__all__ = ["clients", "server", "servers"]

ON_BOTH_SERVERS = {
    *("test_joining_sockets", "test_voting_sockets", "test_console_sockets"),
    *("test_cached_pages", "test_admission_codes"),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    module = metafunc.module.__name__.rsplit(".", 1)[-1]
    spread_over_asgi_servers(metafunc, both=module in ON_BOTH_SERVERS)
