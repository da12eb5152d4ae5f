"""`python -m tests.load.bench.serve SERVER PORT echo`: another application under a gateway's server."""

import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.serving.listener import listen
from crowdgame.server.serving.service import Service

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


async def echo(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    if scope["type"] != "websocket":
        raise ValueError(scope["type"])
    await receive()
    await send({"type": "websocket.accept"})
    while (event := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": event["text"]})


async def drain(within_s: float) -> None:
    """Nothing to drain."""


def main(server: str, port: int, name: str) -> None:
    application = echo if name == "echo" else import_module("tests.load.stock").application
    service = Service(application, listen(LOOPBACK, port), drain, drain_s=0)
    import_module(f"crowdgame.server.serving.on_{server}").serve(service)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
