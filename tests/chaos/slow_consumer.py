"""A phone that joins and then reads nothing."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from websockets.sync.client import connect

from tests.server import Server

RECEIVE_BUFFER_BYTES = 2048


@contextmanager
def slow_consumer(server: Server, code: str) -> Iterator[None]:
    raw_socket = socket.socket()
    raw_socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
    raw_socket.settimeout(10)
    try:
        raw_socket.connect((server.stack.address, server.stack.port))
        connection = connect(
            f"{server.ws}/phone",
            sock=raw_socket,
            compression=None,
            proxy=None,
            max_queue=1,
            ping_interval=None,
            close_timeout=0.1,
        )
        connection.send(json.dumps({"type": "phone.join", "code": code}))
        yield
    finally:
        raw_socket.close()
