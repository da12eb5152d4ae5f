"""Refuse WebSocket connections to unknown paths."""

from voting.gateway.send_queue import Send
from voting.gateway.socket import Receive, Scope


async def refuse_socket(scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.close"})
