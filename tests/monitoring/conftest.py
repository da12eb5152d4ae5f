from collections.abc import Iterator

import pytest

from tests.server import Server, running_server, server, servers
from tests.socket_clients import clients

__all__ = ["clients", "server", "servers"]


@pytest.fixture(scope="package")
def two_gateways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("watched"), gateways=2) as server:
        yield server
