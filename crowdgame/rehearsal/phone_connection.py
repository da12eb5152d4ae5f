"""The WebSocket connection of a simulated phone (picows, framed in C). An open connection needs no task."""

import asyncio
import logging
import socket
import struct
from functools import partial
from typing import Protocol

from msgspec import DecodeError
from picows import WSCloseCode, WSError, WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.wire import decode, encode
from voting.protocol import PhoneMessage, ToPhone

OPEN_S = 10.0
MAX_FRAME = 1 << 20
READ_BUFFER = 2048
TEXT, CLOSE = WSMsgType.TEXT, WSMsgType.CLOSE  # an enum lookup costs more than sending a frame
NO_LINGER = struct.pack("ii", 1, 0)

# An adapter, because picows would add a child logger for every connection.
quiet_logger = logging.LoggerAdapter(logging.getLogger("picows.crowd"), {})
quiet_logger.setLevel(logging.WARNING)


class ConnectionOwner(Protocol):
    """The owner of a connection. `closed` is called once after each `dial`, with or without `opened`."""

    def opened(self) -> None: ...

    def receive(self, message: ToPhone) -> None: ...

    def receive_unreadable(self) -> None: ...

    def closed(self, code: int | None, failure: str) -> None: ...


class PhoneConnection(WSListener):
    """A phone's connection. It can be dialed again after it has closed."""

    def __init__(self, owner: ConnectionOwner) -> None:
        self._owner = owner
        self._transport: WSTransport | None = None
        self._dial_task: asyncio.Task[None] | None = None
        self._code: int | None = None
        self._hung_up = False

    def dial(self, address: ServerAddress) -> None:
        """Connect once a dial slot is free."""
        self._code = None
        address.dial_slots.acquire(partial(self._begin, address))

    def _begin(self, address: ServerAddress) -> None:
        loop = asyncio.get_running_loop()
        if self._hung_up:
            loop.call_soon(address.dial_slots.release)  # directly, a leaving crowd would recurse too deep
            return
        self._dial_task = loop.create_task(self._dial(address))
        self._dial_task.add_done_callback(lambda _: address.dial_slots.release())

    async def _dial(self, address: ServerAddress) -> None:
        """Connect, with a timeout above the handshake's own.

        That one must fire first, as it closes the connection.
        """
        try:
            async with asyncio.timeout(2 * OPEN_S):
                _, answered = await ws_connect(
                    lambda request, response: self,
                    address.dial_url,
                    websocket_handshake_timeout=OPEN_S,
                    logger_name=quiet_logger,
                    max_frame_size=MAX_FRAME,
                    read_buffer_init_size=READ_BUFFER,
                    use_aiofastnet=False,
                    **address.options,
                )
        except (OSError, WSError) as failure:
            self._owner.closed(None, str(failure) or type(failure).__name__)
        else:
            if answered is None:
                self._owner.closed(None, "it hangs up before it answers")

    def write(self, message: PhoneMessage) -> bool:
        """Send a message and return whether the connection is open.

        Never waits: frames are tiny, and a peer that reads nothing shows as silence.
        """
        if self._transport is None:
            return False
        self._transport.send(TEXT, encode(message))
        return True

    def hang_up(self) -> None:
        """Close the connection with a close frame, for good."""
        self._hung_up = True
        if self._dial_task:
            self._dial_task.cancel()
        if self._transport:
            self._transport.send_close(WSCloseCode.GOING_AWAY)
            self._transport.disconnect()

    def drop_connection(self) -> None:
        """Abort the connection without a close frame, like a lost network.

        SO_LINGER 0 frees the port at once.
        """
        if self._transport:
            pipe = self._transport.underlying_transport.get_extra_info("socket")
            pipe.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
            self._transport.disconnect(graceful=False)

    def on_ws_connected(self, transport: WSTransport) -> None:
        if self._hung_up:
            transport.disconnect()
            return
        self._transport = transport
        self._owner.opened()

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == CLOSE:
            code = frame.get_close_code()
            self._code = code.value or None
            transport.send_close(code if self._code else WSCloseCode.OK)
            transport.disconnect()
            return
        try:
            message = decode(frame.get_payload_as_bytes())
        except DecodeError:
            self._owner.receive_unreadable()
        else:
            self._owner.receive(message)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self._transport = None
        self._owner.closed(self._code, f"it closes with {self._code or 1006}")

    def pause_writing(self) -> None:
        """Ignore backpressure: a server that stops reading is detected by its silence."""

    def resume_writing(self) -> None:
        """Do nothing, because no message is held back."""
