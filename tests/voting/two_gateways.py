"""Sockets at several gateways that share a port."""

import psutil

from tests.server import Server
from tests.socket_clients import SocketClient


def gateway_of(server: Server, client: SocketClient) -> str:
    here = client.socket.socket.getsockname()
    for name in server.stack.gateway_names:
        ends = psutil.Process(server.supervisor.pid(name)).net_connections("tcp")
        if any(end.raddr == here for end in ends):
            return name
    raise AssertionError("the socket is at no gateway")
