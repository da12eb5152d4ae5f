"""The systems that are compared, and connections to them: text frames, one handler for all, no tasks."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from picows import WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from crowdgame.server.laptop.network import LOOPBACK
from tests.load.bench.machine import pin

OPEN_WITHIN_S = 30.0
TEXT, CLOSE = WSMsgType.TEXT, WSMsgType.CLOSE
logger = logging.LoggerAdapter(logging.getLogger("picows.bench"), {})  # one for all connections
logger.setLevel(logging.WARNING)

FrameHandler = Callable[["Connection", bytes], None]


class Connection(WSListener):
    """`on_frame` receives every text frame. `sequence` and `choice` are the voter's last ballot."""

    def __init__(self, on_frame: FrameHandler) -> None:
        self.on_frame = on_frame
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.sequence = 0
        self.choice = 1

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == TEXT:
            self.on_frame(self, frame.get_payload_as_bytes())
        elif frame.msg_type == CLOSE:
            transport.disconnect()

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        if not self.closed.done():
            self.closed.set_result(None)

    def pause_writing(self) -> None:
        """Ignore backpressure."""

    def resume_writing(self) -> None:
        """Nothing waits."""

    def say(self, text: bytes) -> None:
        self._transport.send(TEXT, text)

    def close(self) -> None:
        self._transport.disconnect()


async def open_connection(
    port: int, path: str, on_frame: FrameHandler, headers: Mapping[str, str] | None = None
) -> Connection:
    _, connection = await ws_connect(
        lambda request, response: Connection(on_frame),
        f"ws://{LOOPBACK}:{port}{path}",
        websocket_handshake_timeout=OPEN_WITHIN_S,
        extra_headers=headers,
        logger_name=logger,
        read_buffer_init_size=2048,
        use_aiofastnet=False,
    )
    assert isinstance(connection, Connection)
    return connection


async def open_connections(port: int, path: str, on_frame: FrameHandler, count: int) -> list[Connection]:
    opened: list[Connection] = []
    while len(opened) < count:
        batch = range(min(50, count - len(opened)))
        opened += await asyncio.gather(*(open_connection(port, path, on_frame) for _ in batch))
    return opened


def close_all(connections: Iterable[Connection]) -> None:
    for connection in connections:
        connection.close()


@dataclass(eq=False)
class Contender:
    """A measured system. `vote` is a connection's next message; `is_answer` recognizes the answer to it.

    `servers` are the processes that hold the sockets, `dependencies` the processes that they depend on.
    """

    name: str
    servers: tuple[int, ...]
    port: int
    path: str
    vote: Callable[[Connection], bytes]
    is_answer: Callable[[bytes], bool]
    dependencies: tuple[int, ...] = ()
    connections: list[Connection] = field(default_factory=list)
    on_frame: FrameHandler = lambda connection, text: None

    def receive(self, connection: Connection, text: bytes) -> None:
        self.on_frame(connection, text)

    def pin(self, cores: tuple[int, ...]) -> None:
        """Pin one server per core, as far as there are cores."""
        for number, pid in enumerate(self.servers):
            pin(pid, cores[number % len(cores)])

    async def open(self, count: int) -> list[Connection]:
        new = await open_connections(self.port, self.path, self.receive, count)
        self.connections += new
        return new

    def close(self) -> None:
        close_all(self.connections)
        self.connections = []
