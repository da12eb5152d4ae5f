"""One of those that are measured: its server, the lines to it, and how a vote and an answer look there."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.load.bench.line import Line, close_all, open_lines
from tests.load.bench.machine import pin


@dataclass(eq=False)
class Contender:
    """`vote` is the next frame of a line; `is_answer` tells the answer to it from all else.

    `servers` are the processes that hold the sockets, `behind` those that they need for it.
    """

    name: str
    servers: tuple[int, ...]
    port: int
    path: str
    vote: Callable[[Line], bytes]
    is_answer: Callable[[bytes], bool]
    behind: tuple[int, ...] = ()
    lines: list[Line] = field(default_factory=list)
    on_frame: Callable[[Line, bytes], None] = lambda line, text: None

    def receive(self, line: Line, text: bytes) -> None:
        self.on_frame(line, text)

    def pin(self, cores: tuple[int, ...]) -> None:
        """One server a core, as far as there are cores."""
        for number, pid in enumerate(self.servers):
            pin(pid, cores[number % len(cores)])

    async def open(self, count: int) -> list[Line]:
        """Have so many more lines, open; those."""
        new = await open_lines(self.port, self.path, self.receive, count)
        self.lines += new
        return new

    def close(self) -> None:
        close_all(self.lines)
        self.lines = []
