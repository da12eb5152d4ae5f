"""Bytes that wait in the sockets of this machine, as the kernel lists them."""

import socket
from pathlib import Path

from tests.deploy.processes import wait_until

SOCKETS = Path("/proc/net/tcp")


def wait_until_read(connection: socket.socket) -> None:
    """Wait until the server has read what was sent, so that it does not read the next bytes with it."""
    own, servers = (name[1] for name in (connection.getsockname(), connection.getpeername()))
    wait_until(lambda: queued_bytes(own, servers)[0] == queued_bytes(servers, own)[1] == 0)


def queued_bytes(port: int, peer: int) -> tuple[int, int]:
    """The bytes that wait at this end of a connection, to be sent and to be read; none once it is closed."""
    ends = f":{port:04X}", f":{peer:04X}"
    for _, local, remote, _, queues, *_ in map(str.split, SOCKETS.read_text().splitlines()[1:]):
        if local.endswith(ends[0]) and remote.endswith(ends[1]):
            to_send, to_read = queues.split(":")
            return int(to_send, 16), int(to_read, 16)
    return 0, 0
