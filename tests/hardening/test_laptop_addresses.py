"""A server started by `make play` answers at any IP address, but not at unknown host names."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
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


@pytest.mark.parametrize("path", ["/BCDF", "/console/login/", "/healthz"])
@pytest.mark.parametrize(
    "name", ["192.168.99.7", "10.42.0.1", "169.254.1.2", "[::1]", "[fe80::1]", "localhost"]
)
def test_laptop_server_answers_at_any_ip_address(path: str, name: str, laptop: Server) -> None:
    assert request_status(laptop, path, f"{name}:{laptop.stack.port}") == 200


@pytest.mark.parametrize("path", ["/BCDF", "/console/login/"])
def test_laptop_server_refuses_unknown_host(path: str, laptop: Server) -> None:
    assert request_status(laptop, path, f"192.168.99.7.evil.example:{laptop.stack.port}") == 400


@pytest.mark.parametrize("name", ["192.168.99.7", "[::1]"])
def test_laptop_sockets_work_at_address_assigned_after_start(name: str, laptop: Server) -> None:
    code = laptop.ask("event", lobby="open")["code"]
    here = f"{name}:{laptop.stack.port}"
    cookie = laptop.ask("session", name="olga")
    with ExitStack() as sockets:
        phone = sockets.enter_context(_opened(laptop, "phone", here, {"Origin": f"http://{here}"}))
        SocketClient(phone).say("phone.join", code=code).receive("phone.welcomed")
        console = {"Origin": f"http://{here}", "Cookie": cookie}
        client = SocketClient(sockets.enter_context(_opened(laptop, "console", here, console)))
        client.say("console.join", code=code).receive("console.welcomed")


def test_laptop_socket_refuses_foreign_origin(laptop: Server) -> None:
    here = f"192.168.99.7:{laptop.stack.port}"
    with pytest.raises(InvalidStatus):
        _opened(laptop, "phone", here, {"Origin": "http://evil.example"})


def _opened(laptop: Server, path: str, host: str, headers: dict[str, str]) -> ClientConnection:
    """Connect to this machine; the client sends `host` as the Host header."""
    line = socket.create_connection((LOOPBACK, laptop.stack.port), timeout=5)
    return connect(f"ws://{host}/ws/{path}", sock=line, additional_headers=headers, compression=None)
