"""A receiver of webhooks, which answers as a test wants."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Barrier, Event, Thread
from typing import Any

from crowdgame.server.web.outgoing_request import TIMEOUT_S


@dataclass
class Receiver:
    """`answers` are the next statuses, then 204. Answers wait until enough requests meet at `meeting`."""

    port: int
    answers: list[int] = field(default_factory=list)
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    meeting: Barrier = field(default_factory=lambda: Barrier(1))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.requests]


@contextmanager
def running_receiver(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.requests.append(({k.lower(): v for k, v in self.headers.items()}, body))
            receiver.meeting.wait(TIMEOUT_S)
            self.send_response(receiver.answers.pop(0) if receiver.answers else 204)
            self.send_header("location", "/elsewhere")
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        receiver = Receiver(server.server_port)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield receiver
        finally:
            server.shutdown()


@contextmanager
def sending_slowly(byte: bytes, every_s: float) -> Iterator[int]:
    """A server that accepts connections and sends this byte again and again. Yields its port."""
    stopped = Event()

    def serve(listener: socket.socket) -> None:
        with suppress(OSError):
            connection, _ = listener.accept()
            with closing(connection):
                while not stopped.wait(every_s):
                    connection.sendall(byte)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=serve, args=(listener,), daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            stopped.set()
