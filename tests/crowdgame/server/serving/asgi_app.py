"""A small ASGI application under the gateway's own launcher.

`python -m tests.crowdgame.server.serving.asgi_app <server> <listening socket> <note> <seconds to drain>
<number of reverse proxies>`

`flood <frames>` sends that many frames of 100,000 characters. `nag` sends a word repeatedly. `nagged` reports
whether that still runs, or ended as it does for a disconnected client. `disconnected` reports how often a
handler was told so, and the last message to one. `close <code>` closes the socket. After `attach`, a handler
answers in capitals: texts that start with `now` at once, others after a moment; it fails at `crash`.

Any other message is echoed. The response to a POST is the length of its body; `?<chunks>` asks for that many
chunks of 100,000 bytes. At `/client`, the response or first message is the scheme and the client address.
"""

import asyncio
import re
import sys
from collections.abc import Coroutine
from importlib import import_module
from pathlib import Path
from typing import Any

from crowdgame.server.serving.listener import adopt_listener
from crowdgame.server.serving.service import Service
from voting.gateway.connections import CONNECTION
from voting.gateway.text_frames import text_frame

FRAME = "x" * 100_000
HEAD_TIMEOUT_S, BODY_TIMEOUT_S = 2.0, 3.0
STALL_S = 4
nagging_ended_by: list[BaseException] = []


async def application(scope: Any, receive: Any, send: Any) -> None:
    client = f"{scope.get('scheme')} {scope['client'][0]}" if scope["path"] == "/client" else ""
    if scope["type"] != "websocket":
        chunks = int(scope["query_string"] or 0)
        await (stream(chunks, send) if chunks else respond(scope, receive, send, client))
        return
    await receive()
    await send({"type": "websocket.accept", "subprotocol": None, "headers": []})  # as Channels does
    if client:
        await send({"type": "websocket.send", "text": client})
    while (event := await receive())["type"] == "websocket.receive":
        if "text" not in event:
            await send({"type": "websocket.send", "bytes": event["bytes"]})
            continue
        await answer(event["text"], send)
        if event["text"] == "attach":
            connection = scope["extensions"][CONNECTION]
            connection.attach(Handler(connection))
            return


async def stream(chunks: int, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(chunks):
        await send({"type": "http.response.body", "body": FRAME.encode(), "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def respond(scope: Any, receive: Any, send: Any, text: str) -> None:
    length, more = 0, scope["method"] == "POST"
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            return
        length, more = length + len(event["body"]), event["more_body"]
    body = str(length).encode() if length else text.encode()
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200 if body else 204, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def answer(text: str, send: Any) -> None:
    word, _, count = text.partition(" ")
    if word == "close":
        await send({"type": "websocket.close", "code": int(count)})
        return
    replies = [text]
    if word == "flood":
        replies = [FRAME] * int(count)
    elif word == "nag":
        await nag(send)
    elif word == "nagged":
        replies = [str(all(isinstance(error, OSError) for error in nagging_ended_by))]
    elif word == "disconnected":
        replies = [f"{Handler.disconnected} {Handler.last!r}"]
    for reply in replies:
        await send({"type": "websocket.send", "text": reply})


class Handler:
    disconnected = 0
    last: bytes | None = None

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def handle_message(self, text: bytes | None) -> Coroutine[Any, Any, None] | None:
        Handler.last = text
        if text == b"crash":
            raise ValueError(text)
        if text is not None and not text.startswith(b"now"):
            return self._answer_later(text)
        self._answer(text or b"binary")
        return None

    def _answer(self, text: bytes) -> None:
        self._connection.write(text_frame(text.decode().upper().encode()))

    async def _answer_later(self, text: bytes) -> None:
        await asyncio.sleep(0.05)
        self._answer(text)

    def handle_disconnect(self) -> None:
        Handler.disconnected += 1

    def handle_overflow(self) -> None:
        """The other tests of slow consumers count them."""


async def nag(send: Any) -> None:
    try:
        while True:
            await send({"type": "websocket.send", "text": "well?"})
            await asyncio.sleep(0.01)
    except BaseException as error:
        nagging_ended_by.append(error)
        raise


async def drain(within_s: float) -> None:
    await asyncio.sleep(within_s)
    Path(sys.argv[3]).write_text("drained")  # noqa: ASYNC240


def main(server: str, number: int, drain_s: float, proxies: int) -> None:
    service = Service(
        application,
        adopt_listener(number),
        drain,
        drain_s,
        head_timeout_s=HEAD_TIMEOUT_S,
        body_timeout_s=BODY_TIMEOUT_S,
        stall_s=STALL_S,
        proxies=proxies,
        upload_paths=re.compile(b"/upload"),
    )
    import_module(f"crowdgame.server.serving.on_{server}").serve(service)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[4]), int(sys.argv[5]))
