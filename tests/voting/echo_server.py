"""`python -m tests.voting.echo_server daphne|uvicorn FD`: broadcasts every client message to all clients.

Runs on one of the gateway's servers, with long frames, so that a client that does not read soon falls behind.
Each answer contains the number of connected clients and of slow consumers. "close all"
closes all connections.
"""

import os
import sys
from collections.abc import Coroutine
from importlib import import_module
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from crowdgame.server.serving.listener import adopt_listener  # noqa: E402
from crowdgame.server.serving.service import Service  # noqa: E402
from voting.gateway.connections import CONNECTION, Connection  # noqa: E402
from voting.gateway.text_frames import text_frame  # noqa: E402

LONG = "x" * 16_000
clients: "set[Client]" = set()
slow_consumers: list[None] = []


class Client:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def handle_message(self, text: bytes | None) -> Coroutine[Any, Any, None] | None:
        said = (text or b"").decode()
        if said == "close all":
            for client in clients:
                client._connection.write(text_frame(b"bye"))
                client._connection.close(4006)
                client._connection.write(text_frame(b"too late"))
        answer = text_frame(f"{said} {len(clients)} {len(slow_consumers)} {LONG}".encode())
        for client in clients:
            client._connection.write(answer)
        return None

    def handle_disconnect(self) -> None:
        clients.discard(self)

    def handle_overflow(self) -> None:
        slow_consumers.append(None)


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "websocket":
        raise ValueError(scope["type"])
    await receive()
    await send({"type": "websocket.accept"})
    connection = scope["extensions"][CONNECTION]
    client = Client(connection)
    clients.add(client)
    connection.attach(client)


async def drain_nothing(within_s: float) -> None:
    """This server has no sockets to drain."""


if __name__ == "__main__":
    service = Service(application, adopt_listener(int(sys.argv[2])), drain_nothing, 0.1)
    import_module(f"crowdgame.server.serving.on_{sys.argv[1]}").serve(service)
