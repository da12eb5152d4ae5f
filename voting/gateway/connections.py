"""The interface between the gateway's WebSocket server and the handler of a connection.

It is an ASGI extension. An application accepts the connection, attaches a handler and returns. From then on
the server calls the handler, so that a connection without work has no task and no queue.
"""

from collections.abc import Coroutine
from typing import Any, Protocol

CONNECTION = "crowdgame.connection"  # key of `scope["extensions"]`


class MessageHandler(Protocol):
    """What happens to the messages of one client. The server makes one call at a time."""

    def handle_message(self, text: bytes | None) -> Coroutine[Any, Any, None] | None:
        """Handle a text message, in valid UTF-8, or None for a binary one.

        Returns None if that is done, else a coroutine. The server runs it before the next message.
        """

    def handle_disconnect(self) -> None:
        """The client is gone, and no other call follows."""

    def handle_overflow(self) -> None:
        """The client reads too slowly: its connection is being cut off."""


class Connection(Protocol):
    """The server's side. No method blocks, or raises if the client is gone or slow."""

    @property
    def descriptor(self) -> int:
        """The file descriptor."""

    def attach(self, handler: MessageHandler) -> None:
        """Let the handler have the messages from now on."""

    def write(self, wire: bytes) -> None:
        """Write encoded frames. Ignored after a close."""

    def close(self, code: int) -> None:
        """Close the connection after all that was written. Ignored after a close."""
