"""Floods of logins neither stop the votes nor exceed the limit of wrong passwords."""

from pathlib import Path

import pytest

from tests.hardening.login_flood import (
    assert_flood_is_limited,
    login_flood,
    running_recorded_server,
)
from tests.socket_clients import open_clients


@pytest.mark.nightly
def test_login_flood_is_limited_while_sockets_are_served(tmp_path: Path) -> None:
    with running_recorded_server(tmp_path, gateways=2) as flooded:
        code = flooded.ask("event", lobby="open")["code"]
        with login_flood(flooded) as replies, open_clients(flooded) as clients:
            for _ in range(4):
                clients.phone(code)
        assert_flood_is_limited(flooded, replies)
