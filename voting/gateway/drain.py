"""Drain sockets (graceful shutdown): close them gradually, so that clients reconnect elsewhere."""

import asyncio
import math
from collections.abc import Sequence

from voting.gateway.voters import Socket
from voting.protocol import CloseCode

LEAST_RETRY_MS = 500
_SPREAD_SHARE = 0.6
_BATCHES_PER_SECOND = 20


async def close_gradually(sockets: Sequence[Socket], within_s: float, retry_ms: int) -> None:
    """Close all sockets with RESTARTING, in batches over 60% of `within_s` seconds.

    Clients reconnect within `retry_ms` milliseconds. The spread protects the gateways that take them over.
    """
    pauses = max(1, int(within_s * _SPREAD_SHARE * _BATCHES_PER_SECOND))
    at_once = max(1, math.ceil(len(sockets) / pauses))
    for start in range(0, len(sockets), at_once):
        for socket in sockets[start : start + at_once]:
            socket.end(CloseCode.RESTARTING, retry_ms)
        await asyncio.sleep(1 / _BATCHES_PER_SECOND)
