"""The gateway's listening socket, new or inherited from a supervisor, with keepalive for dead connections."""

import socket
from contextlib import suppress

BACKLOG = 65_535  # the kernel allows net.core.somaxconn; attempts beyond it are repeated after 1, 3, 7 s
# TCP keepalive detects phones that disappeared without closing. TCP_USER_TIMEOUT drops phones that have read
# nothing for that long. On Linux accepted sockets inherit these options from the listening socket.
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
    """Open a listening socket. Raises OSError, e.g. if the port is in use or the address isn't local."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return _with_keepalive(socket.create_server((host, port), family=family, backlog=BACKLOG))


def adopt_listener(number: int) -> socket.socket:
    """Return the socket of the inherited file descriptor `number`. Raises OSError.

    Calls `listen` again, because the previous process shut the socket down when it drained.
    """
    listener = socket.socket(fileno=number)
    listener.listen(BACKLOG)
    return _with_keepalive(listener)


def close_listener(listener: socket.socket) -> None:
    """Stop accepting, so that new connections go to the other gateways of this port, if there are any."""
    with suppress(OSError):  # not every system can shut down a listening socket; closing it suffices there
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def _with_keepalive(listener: socket.socket) -> socket.socket:
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in TCP_OPTIONS.items():
        if hasattr(socket, name):
            listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return listener
