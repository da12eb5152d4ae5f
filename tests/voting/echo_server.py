"""`python -m tests.voting.echo_server daphne|uvicorn FD`: whatever one client says, all clients are told.

On one of the gateway's servers, through the gateway's own line to each client, and in long frames, so
that a client that does not read is soon behind. Each answer says how many are connected, and how many
were too slow. Who says "be deaf" is not listened to for a moment.
"""

import asyncio
import os
import sys
from importlib import import_module
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from crowdgame.serving.listening import adopt  # noqa: E402
from crowdgame.serving.service import Service  # noqa: E402
from voting.gateway.send_queue import SendQueue  # noqa: E402

LONG = "x" * 16_000
lines: set[SendQueue] = set()
too_slow: list[None] = []


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "websocket":
        raise ValueError(scope["type"])
    await receive()
    await send({"type": "websocket.accept"})
    line = SendQueue(send, lambda: too_slow.append(None))
    lines.add(line)
    try:
        while (event := await receive())["type"] == "websocket.receive":
            if event["text"] == "end all":
                for one in tuple(lines):
                    one.end(4006, 250)
            if event["text"] == "be deaf":
                await asyncio.sleep(1)
            for one in tuple(lines):
                one.write(f"{event['text']} {len(lines)} {len(too_slow)} {LONG}")
    finally:
        lines.discard(line)


async def nothing(within_s: float) -> None:
    """There is nobody to be sent elsewhere."""


if __name__ == "__main__":
    service = Service(application, adopt(int(sys.argv[2])), nothing, 0.1)
    import_module(f"crowdgame.serving.on_{sys.argv[1]}").serve(service)
