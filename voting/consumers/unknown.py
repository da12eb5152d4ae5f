"""A socket at an address where there is none."""

from voting.consumers.line import Send
from voting.consumers.socket import Receive, Scope


async def refuse_socket(scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.close"})
