"""A phone that joins and then reads nothing."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from websockets.sync.client import connect

from tests.server import Server

LITTLE = 2048


@contextmanager
def slow_reader(server: Server, code: str) -> Iterator[None]:
    pipe = socket.socket()
    pipe.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, LITTLE)
    pipe.settimeout(10)
    try:
        pipe.connect((server.stack.address, server.stack.port))
        line = connect(
            f"{server.ws}/phone",
            sock=pipe,
            compression=None,
            proxy=None,
            max_queue=1,
            ping_interval=None,
            close_timeout=0.1,
        )
        line.send(json.dumps({"type": "phone.join", "code": code}))
        yield
    finally:
        pipe.close()
