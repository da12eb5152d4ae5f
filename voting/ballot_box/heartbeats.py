"""The heartbeats of gateways, as `heartbeat.lua` stores them."""

from collections.abc import Iterable

GATEWAY_STALE_MS = 4_000
RECONNECT_GRACE_MS = 10_000  # time for a gateway to restart and its clients to reconnect


def fresh_heartbeats(rows: Iterable[bytes], now: int) -> list[list[bytes]]:
    """Return the fields of the heartbeats that are not stale at `now` (Unix ms). The first is its time."""
    fields = [row.split() for row in rows]
    return [row for row in fields if abs(now - int(row[0])) < GATEWAY_STALE_MS]
