from collections.abc import Iterator

import pytest

from tests.monitoring.probes import monitored_server
from tests.server import Server
from tests.socket_clients import Faces, faces_of


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A stack with two gateways that logs JSON."""
    with monitored_server(tmp_path_factory.mktemp("watched")) as server:
        yield server


@pytest.fixture
def faces(server: Server) -> Iterator[Faces]:
    yield from faces_of(server)
