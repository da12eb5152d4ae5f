"""The sockets of an event at one gateway process, and the broadcaster (fan-out).

Each socket gets its frames in order, and in one write.
"""

import asyncio
import time
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any, Literal

from voting.gateway.voters import ConsoleSocket, Socket
from voting.metrics.metrics import BROADCAST_S

WRITES_PER_ITERATION = 200
DisplayPool = Literal["open", "keyed", "preview"]


@dataclass(slots=True, eq=False)
class RoomSockets:
    """The phones and screens of an event.

    Attributes:
        phones: the phones, with and without a seat.
        unseated: the phones without a seat.
        screens: the displays and consoles.
        consoles: the sockets of organizers, also among the screens.
        displays: the displays without and with the display key, and the consoles' miniatures, also among the
            screens, the oldest first.
        role_changes: how many role changes of organizers this process has been notified of.
    """

    phones: set[Socket] = field(default_factory=set)
    unseated: set[Socket] = field(default_factory=set)
    screens: set[Socket] = field(default_factory=set)
    consoles: set[ConsoleSocket] = field(default_factory=set)
    displays: dict[DisplayPool, dict[Socket, None]] = field(default_factory=lambda: defaultdict(dict))
    role_changes: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.phones or self.screens)

    def all(self) -> list[Socket]:
        """All sockets, screens first."""
        return [*self.screens, *self.phones]

    def watching(self) -> int:
        """How many only watch: the displays and the phones without a seat."""
        return len(self.screens) - len(self.consoles) + len(self.unseated)

    def add_seated(self, socket: Socket) -> None:
        """Add a phone that has a seat, or has got one."""
        self.phones.add(socket)
        self.unseated.discard(socket)

    def add_unseated(self, socket: Socket) -> None:
        """Add a phone without a seat. It receives the event's changes, and so learns when it can join."""
        self.phones.add(socket)
        self.unseated.add(socket)

    def add_console(self, socket: ConsoleSocket) -> None:
        self.screens.add(socket)
        self.consoles.add(socket)

    def add_display(self, socket: Socket, at_most: int, pool: DisplayPool) -> Socket | None:
        """Add a display. Beyond `at_most` in its pool, remove and return the oldest one."""
        displays = self.displays[pool]
        oldest = next(iter(displays)) if len(displays) >= at_most else None
        if oldest is not None:
            self.remove(oldest)
        displays[socket] = None
        self.screens.add(socket)
        return oldest

    def remove(self, socket: Socket) -> None:
        """Remove a socket. Idempotent."""
        everywhere: tuple[set[Any], ...] = (self.phones, self.unseated, self.screens, self.consoles)
        for sockets in everywhere:
            sockets.discard(socket)
        for displays in self.displays.values():
            displays.pop(socket, None)

    def change_role(self, user_id: int) -> None:
        """Close the consoles of a user whose role or account has changed."""
        self.role_changes += 1
        for console in tuple(self.consoles):
            console.change_role(user_id)


class Broadcaster:
    """The frames that sockets are still to get.

    A socket that is not reached before further frames are added gets all of them in one write. Held frames
    wait for the next frames of their socket, or for `release`.
    """

    def __init__(self) -> None:
        self._pending: OrderedDict[Socket, bytes] = OrderedDict()
        self._held: dict[Socket, bytes] = {}
        self._is_flushing = False

    def hold(self, sockets: Iterable[Socket], frames: bytes) -> None:
        """Add frames that may wait."""
        join = cache(_join)
        for socket in sockets:
            self._held[socket] = join(self._held.get(socket), frames)

    def add(self, sockets: Iterable[Socket], frames: bytes) -> None:
        """Add frames to send with the next flush, after the held frames of each socket."""
        join, pending, held = cache(_join), self._pending, self._held
        for socket in sockets:
            earlier = join(pending.get(socket), held.pop(socket)) if socket in held else pending.get(socket)
            pending[socket] = join(earlier, frames)

    def release(self) -> None:
        """Let the held frames go with the next flush."""
        held, self._held = self._held, {}
        join = cache(_join)
        for socket, frames in held.items():
            self._pending[socket] = join(self._pending.get(socket), frames)

    async def flush(self) -> None:
        """Write all frames added before or meanwhile. Returns at once if another flush does.

        Yields to the event loop, so that acknowledgements and other rooms do not wait for a broadcast.
        """
        if self._is_flushing or not self._pending:
            return
        self._is_flushing, began = True, time.monotonic()
        try:
            for number in count(1):
                if not self._pending:
                    break
                socket, frames = self._pending.popitem(last=False)
                socket.write(frames)
                if number % WRITES_PER_ITERATION == 0:
                    await asyncio.sleep(0)
        finally:
            self._is_flushing = False
        BROADCAST_S.observe(time.monotonic() - began)


def _join(earlier: bytes | None, later: bytes) -> bytes:
    return earlier + later if earlier else later
