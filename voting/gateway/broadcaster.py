"""Broadcaster (fan-out): each socket of a room gets its frames in order, and in one write."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterable
from functools import cache
from itertools import count

from voting.gateway.send_queue import Frames
from voting.gateway.voters import Socket
from voting.metrics.metrics import BROADCAST_S

WRITES_PER_ITERATION = 200


class Broadcaster:
    """The frames that sockets are still to get.

    A socket that is not reached before further frames are added gets all of them in one write. Held frames
    wait for the next frames of their socket, or for `release`.
    """

    def __init__(self) -> None:
        self._pending: OrderedDict[Socket, Frames] = OrderedDict()
        self._held: dict[Socket, Frames] = {}
        self._is_flushing = False

    def hold(self, sockets: Iterable[Socket], frames: Frames) -> None:
        """Add frames that may wait."""
        join = cache(_join)
        for socket in sockets:
            self._held[socket] = join(self._held.get(socket), frames)

    def add(self, sockets: Iterable[Socket], frames: Frames) -> None:
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
                socket.write_frames(frames)
                if number % WRITES_PER_ITERATION == 0:
                    await asyncio.sleep(0)
        finally:
            self._is_flushing = False
        BROADCAST_S.observe(time.monotonic() - began)


def _join(earlier: Frames | None, later: Frames) -> Frames:
    return earlier + later if earlier else later
