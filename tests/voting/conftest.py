from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.faces import Faces, faces_of
from tests.stack import House, house

__all__ = ["faces", "house"]

settings.register_profile("calm", deadline=None)
settings.load_profile("calm")


@pytest.fixture
def faces(house: House) -> Iterator[Faces]:
    yield from faces_of(house)
