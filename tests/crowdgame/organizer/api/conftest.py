"""An event of the organizer olga, her browser, programs that call the API, and a receiver of webhooks."""

import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Barrier, Thread
from threading import Event as ThreadEvent
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.organizer.api.tokens import create_token
from crowdgame.server.web.outgoing_request import TIMEOUT_S
from tests.voting.match_helpers import new_event, organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event


def address(path: str, event: Event) -> str:
    """The address of an operation at the event and its first match."""
    return path.replace("<code:code>", event.code).replace("<int:number>", "1")


class Program:
    def __init__(
        self, *scopes: Any, token: str | None = None, user: User | None = None, **options: Any
    ) -> None:
        self.token = create_token(user or organizer(), "ci", scopes, **options) if token is None else token

    def request(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        text = b"" if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {self.token}", **headers}
        return Client().generic(method, f"/api/v1/{path}", text, "application/json", headers=headers)

    def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        answer = self.request(method, path, body)
        return answer.status_code, json.loads(answer.content) if answer.content else None

    def get(self, path: str) -> Any:
        status, answer = self.call("GET", path)
        assert status == 200, answer
        return answer

    def act(self, event: Event, action: str, **body: object) -> tuple[int, Any]:
        return self.call("POST", f"events/{event.code}/actions/{action}/", body)


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
            made.requests.append(({k.lower(): v for k, v in self.headers.items()}, body))
            made.meeting.wait(TIMEOUT_S)
            self.send_response(made.answers.pop(0) if made.answers else 204)
            self.send_header("location", "/elsewhere")
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        made = Receiver(server.server_port)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield made
        finally:
            server.shutdown()


@contextmanager
def sending_slowly(byte: bytes, every_s: float) -> Iterator[int]:
    """A server that accepts connections and sends this byte again and again. Yields its port."""
    stopped = ThreadEvent()

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


@pytest.fixture
def event(box: BallotBox) -> Event:
    return new_event(options={"token": "red"}, window_s=60)


@pytest.fixture
def olga(client: Client) -> Client:
    """The browser of the organizer olga, who has just entered her password."""
    user = organizer()
    user.set_password("of olga")
    user.save()
    client.force_login(user)
    client.post("/console/reauthenticate/", {"password": "of olga"})
    return client


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOKS = "private"
    with running_receiver() as running:
        yield running
