"""A server started by `make play` answers at any IP address, but not at unknown host names."""

import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from crowdgame.server.laptop import play
from crowdgame.server.laptop.network import ANY_HOST, LOOPBACK, free_port
from tests.hardening.test_hosts import request_status
from tests.server import ASGI_SERVERS_TESTED, Server, organizer, running_parts
from tests.socket_clients import SocketClient

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module", params=ASGI_SERVERS_TESTED)
def laptop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play, "DATA", tmp_path_factory.mktemp("laptop"))
        patch.setenv("GATEWAY", request.param)
        for name in ("ALLOWED_HOSTS", "PUBLIC_URL", "REDIS_URL", "DATABASE_URL", "BALLOT_BOX_URL"):
            patch.delenv(name, raising=False)
        stack = replace(play.build_stack(ANY_HOST, free_port(), 1), valkey_port=free_port())
    with running_parts(stack) as supervisor, organizer(stack) as asked:
        yield Server(stack, supervisor, asked)


@pytest.mark.parametrize("name", ["192.168.99.7", "[fe80::1]", "localhost"])
def test_laptop_pages_and_sockets_work_at_any_ip_address(name: str, laptop: Server) -> None:
    host, code = f"{name}:{laptop.stack.port}", laptop.ask("event", lobby="open")["code"]
    for path in ("/BCDF", "/console/login/", "/healthz"):
        assert request_status(laptop, path, host) == 200
    headers = {"Origin": f"http://{host}", "Cookie": laptop.ask("session", name="olga")}
    for kind in ("phone", "console"):
        with opened(laptop, kind, host, headers) as connection:
            SocketClient(connection).say(f"{kind}.join", code=code).receive(f"{kind}.welcomed")


def test_laptop_server_refuses_unknown_host_and_origin(laptop: Server) -> None:
    for path in ("/BCDF", "/console/login/"):
        assert request_status(laptop, path, f"192.168.99.7.evil.example:{laptop.stack.port}") == 400
    with pytest.raises(InvalidStatus):
        opened(laptop, "phone", f"192.168.99.7:{laptop.stack.port}", {"Origin": "http://evil.example"})


def opened(laptop: Server, kind: str, host: str, headers: dict[str, str]) -> ClientConnection:
    """Connect to this machine; the client sends `host` as the Host header."""
    line = socket.create_connection((LOOPBACK, laptop.stack.port), timeout=5)
    return connect(f"ws://{host}/ws/{kind}", sock=line, additional_headers=headers, compression=None)
