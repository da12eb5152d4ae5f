"""`python -m tests.voting.echo_server daphne|uvicorn FD`: broadcasts every client message to all clients.

Runs on one of the gateway's servers, with the gateway's own send queues and with long frames, so that a
client that does not read soon falls behind. Each answer contains the number of connected clients and of slow
consumers. After "pause reading", the server does not read from that client for a second. Messages that start
with "encoded" are answered like the gateway's answers to single clients, all others like its broadcasts.
"""

import asyncio
import os
import sys
from importlib import import_module
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from crowdgame.serving.listener import adopt_listener  # noqa: E402
from crowdgame.serving.service import Service  # noqa: E402
from voting.gateway.send_queue import SendQueue, text_frame  # noqa: E402
from voting.gateway.server_extensions import WRITE_FRAMES  # noqa: E402

LONG = "x" * 16_000
queues: set[SendQueue] = set()
slow_consumers: list[None] = []


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "websocket":
        raise ValueError(scope["type"])
    await receive()
    await send({"type": "websocket.accept"})
    queue = SendQueue(send, lambda: slow_consumers.append(None), scope["extensions"][WRITE_FRAMES])
    queues.add(queue)
    try:
        while (event := await receive())["type"] == "websocket.receive":
            if event["text"] == "end all":
                for other in tuple(queues):
                    other.end(4006, 250)
            if event["text"] == "pause reading":
                await asyncio.sleep(1)
            answer = text_frame(f"{event['text']} {len(queues)} {len(slow_consumers)} {LONG}")
            for other in tuple(queues):
                if event["text"].startswith("encoded"):
                    other.write_encoded(answer.texts[0].encode())
                else:
                    other.write_frames(answer)
    finally:
        queues.discard(queue)


async def drain_nothing(within_s: float) -> None:
    """This server has no sockets to drain."""


if __name__ == "__main__":
    service = Service(application, adopt_listener(int(sys.argv[2])), drain_nothing, 0.1)
    import_module(f"crowdgame.serving.on_{sys.argv[1]}").serve(service)
