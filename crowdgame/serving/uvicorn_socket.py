"""uvicorn WebSocket with the handshake fast path and the close behavior of the wire protocol."""

from typing import Any
from urllib.parse import unquote

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets import http11
from websockets.frames import Close, Frame, Opcode
from websockets.frames import CloseCode as StandardCode
from websockets.protocol import Protocol, State
from websockets.streams import StreamReader
from websockets.utils import accept_key

from crowdgame.serving.handshake import RequestHead
from crowdgame.serving.request_limits import MAX_HEAD_BYTES
from crowdgame.serving.service import CLOSE_TIMEOUT_S
from voting.gateway.send_queue import read_short_text
from voting.gateway.server_extensions import DESCRIPTOR, READ_TEXTS, WRITE_FRAMES, ReadText
from voting.protocol import CloseCode

# UvicornRequest limits request heads. What websockets itself refuses would get no answer.
http11.MAX_LINE_LENGTH = http11.MAX_NUM_HEADERS = MAX_HEAD_BYTES
ACCEPT_RESPONSE = (
    b"HTTP/1.1 101 Switching Protocols\r\n"
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %b\r\n"
)


class UvicornSocket(WebSocketsSansIOProtocol):
    """A server-side WebSocket that closes even if its client doesn't read.

    It reports a frame that is too large with the protocol's own close code, FRAME_TOO_LARGE. A short text
    frame that arrives alone bypasses the general parser. `reader` is the application's reader of such texts,
    see READ_TEXTS.
    """

    key = b""
    reader: ReadText | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.close_timeout = CLOSE_TIMEOUT_S

    def connection_made(self, transport: Any) -> None:
        """Like uvicorn's, but takes the addresses from the transport, which stores them."""
        self.connections.add(self)
        self.transport = transport
        self.server = (transport.get_extra_info("sockname") or ())[:2] or None
        self.client = (transport.get_extra_info("peername") or ())[:2] or None
        self.scheme = "ws"

    def connection_lost(self, exc: Exception | None) -> None:
        """Break reference cycles: a stored exception refers to its frames, and so to the connection."""
        super().connection_lost(exc)
        self.conn.parser_exc = self.conn.handshake_exc = None

    def shake_hands(self, head: RequestHead, rest: bytes) -> None:
        """Continue like uvicorn and websockets after parsing a handshake.

        `rest` are the bytes after the request head.
        """
        self.key = head.key
        self.handshake_initiated = True
        self.conn.parser = Protocol.parse(self.conn)  # parse frames from now on
        next(self.conn.parser)
        self.scope = self._scope(head)
        self.queue.put_nowait({"type": "websocket.connect"})
        task = self.loop.create_task(self.run_asgi())
        task.add_done_callback(self.on_task_complete)
        self.tasks.add(task)
        if rest:
            self.data_received(rest)

    def _scope(self, head: RequestHead) -> Any:
        path, _, query = head.address.partition(b"?")
        return {
            "type": "websocket",
            "asgi": {"version": self.asgi_version, "spec_version": "2.4"},
            "http_version": "1.1",
            "scheme": self.scheme,
            "server": self.server,
            "client": self.client,
            "root_path": self.root_path,
            "path": self.root_path + unquote(path.decode()),
            "raw_path": self.root_path.encode() + path,
            "query_string": query,
            "headers": head.header_list,
            "subprotocols": [],
            "state": self.app_state.copy(),
            "extensions": {
                "websocket.http.response": {},
                WRITE_FRAMES: self.write_frames,
                READ_TEXTS: self.register_reader,
            },
        }

    async def run_asgi(self) -> None:
        self.scope["extensions"][DESCRIPTOR] = self.transport.get_extra_info("socket").fileno()
        await super().run_asgi()

    def data_received(self, data: bytes) -> None:
        text = read_short_text(data) if self._is_between_messages() else None
        if text is None:
            super().data_received(data)
        elif not (self.reader and self.queue.empty() and self.reader(text)):
            self.curr_msg_data_type, self.frames = "text", [text]
            self.send_receive_event_to_app()

    def _is_between_messages(self) -> bool:
        """Whether the parser waits for the beginning of a frame, outside of a fragmented message."""
        conn = self.conn
        if not self.handshake_complete or self.close_sent or conn.state is not State.OPEN:
            return False
        parser: Any = conn.parser
        waits_in = parser.gi_yieldfrom
        is_at_start = waits_in is not None and waits_in.gi_code is StreamReader.at_eof.__code__
        return is_at_start and conn.current_size is None

    def register_reader(self, reader: ReadText | None) -> None:
        self.reader = reader

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.close" and not self.writable.is_set():
            self.transport.abort()  # a close frame would wait behind data a slow consumer doesn't read
        elif self.close_sent:
            raise ClientDisconnected
        elif self.key and message["type"] == "websocket.accept" and not self.disconnected:
            self._accept(message)
        else:
            await super().send(message)

    def write_frames(self, wire: bytes) -> bool:
        """Write prebuilt text frames, unless the client reads too slowly or the socket is closing."""
        is_open = self.handshake_complete and not (self.close_sent or self.transport.is_closing())
        if not is_open or not self.writable.is_set():
            return False
        self.transport.write(wire)
        return True

    def _accept(self, message: Any) -> None:
        key, self.key = self.key, b""
        headers = list(message.get("headers", []))
        if message.get("subprotocol"):
            headers.append((b"Sec-WebSocket-Protocol", message["subprotocol"].encode()))
        if not self.transport.is_closing():
            self.handshake_complete = True
            self.conn.state = State.OPEN
            reply = b"".join(b"%b: %b\r\n" % field for field in headers)
            self.transport.write(ACCEPT_RESPONSE % accept_key(key.decode()).encode() + reply + b"\r\n")

    def send_receive_event_to_app(self) -> None:
        """Like uvicorn's, but invalid UTF-8 closes the socket without logging a traceback.

        Invalid text may arrive together with a close frame, so this checks the state before it sends a close.
        """
        if self.close_sent or self.curr_msg_data_type != "text":
            super().send_receive_event_to_app()
            return
        data = self.frames[0] if len(self.frames) == 1 else b"".join(self.frames)
        self.frames = []
        try:
            self.queue.put_nowait({"type": "websocket.receive", "text": data.decode()})
        except UnicodeDecodeError:
            if self.conn.state is State.OPEN:
                self.conn.send_close(StandardCode.INVALID_DATA)
            self.handle_parser_exception()
            return
        if not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    def handle_close(self, event: Frame) -> None:
        """Discard a slow consumer's unsent data, because a close would wait until it is read."""
        super().handle_close(event)
        if not self.writable.is_set():
            self.transport.abort()

    def handle_parser_exception(self) -> None:
        """For a frame that is too large, send FRAME_TOO_LARGE and keep the connection for `close_timeout`.

        Closing at once while the client still sends would lose the close frame. An invalid frame that arrives
        before the handshake is accepted aborts the connection, because no close frame can be sent yet.
        """
        if self.conn.close_sent is None:
            self.transport.abort()
        elif self.conn.close_sent.code != StandardCode.MESSAGE_TOO_BIG:
            super().handle_parser_exception()
        elif not self.close_sent:
            self.close_sent = True
            reply = Close(CloseCode.FRAME_TOO_LARGE, "")
            self.conn.data_to_send()
            self.transport.write(Frame(Opcode.CLOSE, reply.serialize()).serialize(mask=False))
            self.queue.put_nowait({"type": "websocket.disconnect", "code": reply.code})
            self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)
