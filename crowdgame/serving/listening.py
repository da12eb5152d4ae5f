"""The socket at which a gateway takes newcomers: its own, or one that whoever started it keeps open."""

import socket
from contextlib import suppress

BACKLOG = 4096
LONGEST_HEAD = 16_384
# A phone that went away without a word is noticed by the kernel, as is one that reads nothing for so long.
# Linux hands these on from a listening socket to all that it accepts.
SILENT_S = 30
PROBE_EVERY_S = 10
PROBES = 3
STUCK_MS = 30_000
LIMITS = {
    "TCP_KEEPIDLE": SILENT_S,
    "TCP_KEEPINTVL": PROBE_EVERY_S,
    "TCP_KEEPCNT": PROBES,
    "TCP_USER_TIMEOUT": STUCK_MS,
}


def listen(host: str, port: int) -> socket.socket:
    """Raises OSError: the port is in use, the address isn't this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return _watchful(socket.create_server((host, port), family=family, backlog=BACKLOG))


def adopt(number: int) -> socket.socket:
    """The inherited descriptor `number`, listening again if the last to have it left. Raises OSError."""
    listener = socket.socket(fileno=number)
    listener.listen(BACKLOG)
    return _watchful(listener)


def leave(listener: socket.socket) -> None:
    """Let the system send newcomers to the other gateways of this port, if there are any."""
    with suppress(OSError):  # not everywhere can a listening socket be shut down; closing it does there
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def _watchful(listener: socket.socket) -> socket.socket:
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in LIMITS.items():
        if hasattr(socket, name):
            listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return listener
