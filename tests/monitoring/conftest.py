from collections.abc import Iterator

import pytest

from tests.faces import Faces, faces_of
from tests.monitoring.probes import watched_house
from tests.server import House


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A stack with two gateways that logs JSON."""
    with watched_house(tmp_path_factory.mktemp("watched")) as house:
        yield house


@pytest.fixture
def faces(house: House) -> Iterator[Faces]:
    yield from faces_of(house)
