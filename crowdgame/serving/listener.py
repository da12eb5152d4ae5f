"""The socket at which a gateway takes newcomers: its own, or one that whoever started it keeps open."""

import socket
from contextlib import suppress

BACKLOG = 4096
MAX_HEAD_BYTES = 16_384
# A phone that went away without a word is noticed by the kernel, as is one that reads nothing for so long.
# Linux hands these on from a listening socket to all that it accepts.
KEEPALIVE_IDLE_S = 30
KEEPALIVE_INTERVAL_S = 10
KEEPALIVE_PROBES = 3
USER_TIMEOUT_MS = 30_000
TCP_OPTIONS = {
    "TCP_KEEPIDLE": KEEPALIVE_IDLE_S,
    "TCP_KEEPINTVL": KEEPALIVE_INTERVAL_S,
    "TCP_KEEPCNT": KEEPALIVE_PROBES,
    "TCP_USER_TIMEOUT": USER_TIMEOUT_MS,
}


def listen(host: str, port: int) -> socket.socket:
    """Raises OSError: the port is in use, the address isn't this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return _with_keepalive(socket.create_server((host, port), family=family, backlog=BACKLOG))


def adopt_listener(number: int) -> socket.socket:
    """The inherited descriptor `number`, listening again if the last to have it left. Raises OSError."""
    listener = socket.socket(fileno=number)
    listener.listen(BACKLOG)
    return _with_keepalive(listener)


def close_listener(listener: socket.socket) -> None:
    """Let the system send newcomers to the other gateways of this port, if there are any."""
    with suppress(OSError):  # not everywhere can a listening socket be shut down; closing it does there
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def _with_keepalive(listener: socket.socket) -> socket.socket:
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in TCP_OPTIONS.items():
        if hasattr(socket, name):
            listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return listener
