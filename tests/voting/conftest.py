import asyncio
import inspect

import pytest

from tests.server import server, servers, spread_over_asgi_servers
from tests.socket_clients import clients

__all__ = ["clients", "server", "servers"]

ON_BOTH_SERVERS = {
    "test_joining_sockets",
    "test_voting_sockets",
    "test_console_sockets",
    "test_cached_pages",
    "test_admission_codes",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    module = metafunc.module.__name__.rsplit(".", 1)[-1]
    spread_over_asgi_servers(metafunc, both=module in ON_BOTH_SERVERS)


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in arguments}))
    return True
