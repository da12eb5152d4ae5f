"""A measured system: its servers, the connections to it, and its format of votes and answers."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.load.bench.connection import Connection, close_all, open_connections
from tests.load.bench.machine import pin


@dataclass(eq=False)
class Contender:
    """`vote` builds the next frame of a connection; `is_answer` recognizes the answer to it.

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
    on_frame: Callable[[Connection, bytes], None] = lambda connection, text: None

    def receive(self, connection: Connection, text: bytes) -> None:
        self.on_frame(connection, text)

    def pin(self, cores: tuple[int, ...]) -> None:
        """Pin one server per core, as far as there are cores."""
        for number, pid in enumerate(self.servers):
            pin(pid, cores[number % len(cores)])

    async def open(self, count: int) -> list[Connection]:
        """Open more connections; return them."""
        new = await open_connections(self.port, self.path, self.receive, count)
        self.connections += new
        return new

    def close(self) -> None:
        close_all(self.connections)
        self.connections = []
