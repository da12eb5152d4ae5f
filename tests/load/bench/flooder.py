"""A process that sends unfinished uploads, all at once, and holds them open until SIGTERM ends it.

Each upload lacks the last KiB of its body. The process prints a line when it is ready and waits for one on
stdin. Then it prints how long sending took and how many connections the server closed meanwhile.
"""

import selectors
import signal
import socket
import sys
import time
from contextlib import ExitStack, suppress
from typing import Any

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.serving.request_limits import MAX_UPLOAD_BYTES
from tests.load.bench.machine import give_way

HEAD = b"POST /console/cups/new/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % MAX_UPLOAD_BYTES
UNFINISHED = memoryview(HEAD + bytes(MAX_UPLOAD_BYTES - 1_024))
PIECE_BYTES = 65_536
SENT_WITHIN_S = 60.0
POLL_S = 0.05


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    port, count = map(int, sys.argv[1:])
    give_way()
    print("ready", flush=True)
    sys.stdin.readline()
    with ExitStack() as connections:
        print(_send(port, count, connections), flush=True)
        signal.pause()


def _send(port: int, count: int, connections: ExitStack) -> str:
    began, closed = time.monotonic(), 0
    sent: dict[Any, int] = {}
    with selectors.DefaultSelector() as selector:
        for _ in range(count):
            connection = connections.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, PIECE_BYTES)
            connection.setblocking(False)
            with suppress(BlockingIOError):
                connection.connect((LOOPBACK, port))
            selector.register(connection, selectors.EVENT_WRITE)
            sent[connection] = 0
        while selector.get_map() and time.monotonic() < began + SENT_WITHIN_S:
            for key, _ in selector.select(POLL_S):
                client: Any = key.fileobj
                try:
                    sent[client] += client.send(UNFINISHED[sent[client] :][:PIECE_BYTES])
                except BlockingIOError:
                    continue
                except OSError:
                    closed += 1
                    selector.unregister(client)
                    continue
                if sent[client] == len(UNFINISHED):
                    selector.unregister(client)
    return f"sent within {time.monotonic() - began:.1f} s, {closed} of {count} closed by the server"


if __name__ == "__main__":
    main()
