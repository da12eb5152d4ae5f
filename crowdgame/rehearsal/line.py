"""A phone's line: one real WebSocket after another, framed in C. It has no task while it stands."""

import asyncio
import logging
import socket
import struct
from functools import partial
from typing import Protocol

from msgspec import DecodeError
from picows import WSCloseCode, WSError, WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from crowdgame.rehearsal.address import Address
from crowdgame.rehearsal.wire import decode, encode
from voting.protocol import PhoneMessage, ToPhone

OPEN_S = 10.0
MAX_FRAME = 1 << 20
READ_BUFFER = 2048
TEXT, CLOSE = WSMsgType.TEXT, WSMsgType.CLOSE  # looking an enum's member up costs more than sending a frame
AT_ONCE = struct.pack("ii", 1, 0)

# An adapter: to a logger picows would add one child a connection.
quiet = logging.LoggerAdapter(logging.getLogger("picows.crowd"), {})
quiet.setLevel(logging.WARNING)


class Caller(Protocol):
    """Who holds the phone: after `dial` it hears `closed` once, if `opened` or not."""

    def opened(self) -> None: ...

    def hear(self, message: ToPhone) -> None: ...

    def hear_noise(self) -> None: ...

    def closed(self, code: int | None, trouble: str) -> None: ...


class Line(WSListener):
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._transport: WSTransport | None = None
        self._dialling: asyncio.Task[None] | None = None
        self._code: int | None = None
        self._hung_up = False

    def dial(self, address: Address) -> None:
        """It waits while too many others are at it."""
        self._code = None
        address.lines.take(partial(self._begin, address))

    def _begin(self, address: Address) -> None:
        loop = asyncio.get_running_loop()
        if self._hung_up:
            loop.call_soon(address.lines.give_back)  # at once, a crowd that leaves would nest too deep
            return
        self._dialling = loop.create_task(self._dial(address))
        self._dialling.add_done_callback(lambda _: address.lines.give_back())

    async def _dial(self, address: Address) -> None:
        """The handshake's own limit closes the connection, so that it may not end within the other one."""
        try:
            async with asyncio.timeout(2 * OPEN_S):
                _, answered = await ws_connect(
                    lambda request, response: self,
                    address.call,
                    websocket_handshake_timeout=OPEN_S,
                    logger_name=quiet,
                    max_frame_size=MAX_FRAME,
                    read_buffer_init_size=READ_BUFFER,
                    use_aiofastnet=False,
                    **address.options,
                )
        except (OSError, WSError) as trouble:
            self._caller.closed(None, str(trouble) or type(trouble).__name__)
        else:
            if answered is None:
                self._caller.closed(None, "it hangs up before it answers")

    def write(self, message: PhoneMessage) -> bool:
        """Whether the line stands. Never waits: a frame is tiny, and a full pipe shows as silence."""
        if self._transport is None:
            return False
        self._transport.send(TEXT, encode(message))
        return True

    def hang_up(self) -> None:
        """Politely, and for good."""
        self._hung_up = True
        if self._dialling:
            self._dialling.cancel()
        if self._transport:
            self._transport.send_close(WSCloseCode.GOING_AWAY)
            self._transport.disconnect()

    def cut(self) -> None:
        """Without a goodbye, as a phone that loses its network; its port is free again at once."""
        if self._transport:
            pipe = self._transport.underlying_transport.get_extra_info("socket")
            pipe.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
            self._transport.disconnect(graceful=False)

    def on_ws_connected(self, transport: WSTransport) -> None:
        if self._hung_up:
            transport.disconnect()
            return
        self._transport = transport
        self._caller.opened()

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
            self._caller.hear_noise()
        else:
            self._caller.hear(message)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self._transport = None
        self._caller.closed(self._code, f"it closes with {self._code or 1006}")

    def pause_writing(self) -> None:
        """A server that reads nothing shows as silence."""

    def resume_writing(self) -> None:
        """Nothing was held back."""
