import pytest
from pytest_django.live_server_helper import LiveServer


@pytest.fixture
def url(live_server: LiveServer) -> str:
    return str(live_server.url)
