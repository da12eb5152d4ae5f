"""Sockets are sent to the other gateways, or asked to come in anew, a few at a time."""

import asyncio
import math
from collections.abc import Sequence

from voting.gateway.voters import Socket
from voting.protocol import CloseCode

LEAST_RETRY_MS = 500
_SPREAD_SHARE = 0.6
_BATCHES_PER_SECOND = 20


async def close_gradually(sockets: Sequence[Socket], within_s: float, retry_ms: int) -> None:
    """Spread over most of the time there is, so that the others can take them in."""
    pauses = max(1, int(within_s * _SPREAD_SHARE * _BATCHES_PER_SECOND))
    at_once = max(1, math.ceil(len(sockets) / pauses))
    for start in range(0, len(sockets), at_once):
        for socket in sockets[start : start + at_once]:
            socket.end(CloseCode.RESTARTING, retry_ms)
        await asyncio.sleep(1 / _BATCHES_PER_SECOND)
