"""Addresses and ports of this machine."""

import errno
import http.client
import secrets
import socket
import sys
import time
from contextlib import closing

LOOPBACK = "127.0.0.1"
ANY_HOST = "0.0.0.0"  # noqa: S104 -- phones come from the network
PROBE_ADDRESS = ("192.0.2.1", 9)  # reserved for documentation; no packet is sent there
POLL_S = 0.05
# Below the ports that any system gives to outgoing connections, which may take one at any moment.
SERVER_PORTS = range(20_000, 32_768)
BACKLOG = 65_535


def lan_address() -> str:
    """Return this machine's IPv4 address in the local network, or loopback without a network."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(PROBE_ADDRESS)
        except OSError:
            return LOOPBACK
        return str(probe.getsockname()[0])


def free_port(host: str = LOOPBACK) -> int:
    """Return a random port of SERVER_PORTS that is free now. Another server may take it before the caller."""
    return next(port for port in iter(lambda: secrets.choice(SERVER_PORTS), 0) if is_port_free(host, port))


def supports_reuse_port() -> bool:
    """Return whether the kernel balances new connections over all sockets on a port (SO_REUSEPORT)."""
    return sys.platform == "linux"


def listen(host: str, port: int, *, shared: bool) -> socket.socket:
    """Return a socket listening on `host` and `port`; `shared` sets SO_REUSEPORT. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=BACKLOG, reuse_port=shared)


def is_port_free(host: str, port: int) -> bool:
    """Return whether a server can listen on this port. Raises OSError if `host` isn't this machine's."""
    with closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except OSError as failure:
            if failure.errno != errno.EADDRINUSE:
                raise
            return False
        return True


def wait_for_http(host: str, port: int, within_s: float) -> bool:
    """Return whether an HTTP server sends any response, also an error, within `within_s` seconds."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if responds_to_http(host, port):
            return True
        time.sleep(POLL_S)
    return False


def responds_to_http(host: str, port: int) -> bool:
    """Return whether an HTTP server sends any response, also an error, within five seconds."""
    with closing(http.client.HTTPConnection(host, port, timeout=5)) as connection:
        try:
            connection.request("GET", "/")
            connection.getresponse()
        except (OSError, http.client.HTTPException):
            return False
        return True
