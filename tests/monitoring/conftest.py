from collections.abc import Iterator

import pytest

from tests.monitoring.probes import monitored_server
from tests.server import Server
from tests.socket_clients import clients

__all__ = ["clients"]


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A stack with two gateways that logs JSON."""
    with monitored_server(tmp_path_factory.mktemp("watched")) as server:
        yield server
