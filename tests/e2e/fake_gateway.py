"""A fake gateway: serves the built phone and display pages and sends them what a test prompts.

It uses real sockets and answers clock requests. So tests can hold any state as long as needed, or send
thousands of turns in minutes.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

import msgspec
import uvicorn

from crowdgame.server.laptop.network import LOOPBACK, listen
from crowdgame.server.web.cached_pages import static_pages
from tests.deploy.processes import wait_until
from voting.admission.links import qr_rows, team_qr_rows
from voting.admission.seats import new_seat, sign_offer
from voting.gateway.page_preload import PreloadParts
from voting.protocol import BallotCounted, DisplayWelcomed, EventState, PhoneWelcomed, TurnoutCounted, You

Message = dict[str, Any]
ServerMessage = msgspec.Struct | Message
TURNOUT: Any = {"connected": (1250, 1190), "voted": (812, 633), "votes_per_s": 74}


@dataclass
class FakeGateway:
    """`rate`: how much faster its clock runs. `join_answers` returns the answers to a join.

    `page`: the state preloaded into pages; a phone's with a seat offer in the first team.
    """

    port: int
    rate: float = 1.0
    counts: bool = True
    join_answers: Callable[[str], list[ServerMessage]] = lambda kind: []
    page: EventState | None = None
    _loop: asyncio.AbstractEventLoop | None = None
    _sockets: dict[str, list[Any]] = field(default_factory=lambda: {"phone": [], "display": []})
    _began: float = field(default_factory=time.time)
    _seq: int = 0

    @property
    def http(self) -> str:
        return f"http://localhost:{self.port}"

    def now(self) -> int:
        return int((self._began + (time.time() - self._began) * self.rate) * 1000)

    def advance(self, ms: int) -> None:
        self._began += ms / 1000

    def announce(self, screen: str, kind: str, state: Callable[[int], EventState]) -> None:
        """Send a change of the state, such as `turn.revealed`, to all phones or displays."""
        self._seq += 1
        built = msgspec.to_builtins(state(self.now()))
        self.say(screen, {"type": kind, "seq": self._seq, "at": self.now(), "state": built})

    def say(self, screen: str, message: ServerMessage) -> None:
        self._send({"type": "websocket.send", "text": _frame(message)}, screen)

    def show(self, state: EventState, team: int = 1, more: tuple[ServerMessage, ...] = ()) -> None:
        self.join_answers = lambda kind: [self.welcome(kind, state, team), self.turnout(state), *more]

    def welcome(self, kind: str, state: EventState, team: int = 1) -> msgspec.Struct:
        common: dict[str, Any] = {"now_at": self.now(), "seq": self._seq, "state": state}
        if kind == "phone":
            return PhoneWelcomed(you=You(token="a seat", team=team, voter_code="BCDFGH"), **common)
        link = "http://play.example/Q7RM"
        return DisplayWelcomed(join_url=link, qr=qr_rows(link), team_qrs=team_qr_rows(link), **common)

    def preload(self, code: str, team: int) -> PreloadParts | None:
        if self.page is None:
            return None
        state = b'{"seq":%d,"state":%b' % (self._seq, msgspec.json.encode(self.page))
        offer = sign_offer(new_seat(1, 1), self.now()).encode()
        own = b',"now_at":%d,"offer":"%b","team":1}' % (self.now(), offer)
        return PreloadParts(state, own)

    async def embed_sites(self, code: str) -> str:
        return ""

    def display_preload(self, code: str, scope: Any) -> PreloadParts | None:
        if self.page is None:
            return None
        return PreloadParts(msgspec.json.encode(self.welcome("display", self.page)), b"")

    def turnout(self, state: EventState) -> TurnoutCounted:
        turn = state.match.turn.id if state.match and state.match.turn else None
        return TurnoutCounted(turn=turn, **TURNOUT)

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        """The ASGI application behind the static pages."""
        if scope["type"] != "websocket":
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        kind = scope["path"].rpartition("/")[2]
        await receive()
        if kind not in self._sockets:
            await send({"type": "websocket.close"})
            return
        await send({"type": "websocket.accept"})
        self._sockets[kind].append(send)
        try:
            while (event := await receive())["type"] == "websocket.receive":
                await self._answer(kind, json.loads(event["text"]), send)
        finally:
            self._sockets[kind].remove(send)

    async def _answer(self, kind: str, message: Message, send: Any) -> None:
        answers: list[ServerMessage] = []
        if message["type"].endswith(".join"):
            answers = self.join_answers(kind)
        elif message["type"] == "clock.ask":
            answers = [{"type": "clock.synced", "sent": message["sent"], "now_at": self.now()}]
        elif message["type"] == "ballot.cast" and self.counts:
            cast = {name: message[name] for name in ("turn", "choice", "sequence")}
            answers = [BallotCounted(**cast, now_at=self.now())]
        for answer in answers:
            await send({"type": "websocket.send", "text": _frame(answer)})

    def close_sockets(self, code: int = 4004) -> None:
        """Close all sockets; with the default code, pages reconnect."""
        self._send({"type": "websocket.close", "code": code}, "phone", "display")

    def _send(self, event: Message, *screens: str) -> None:
        async def send_all() -> None:
            for send in [send for screen in screens for send in self._sockets[screen]]:
                with suppress(OSError):  # the page has just disconnected and will reconnect
                    await send(event)

        assert self._loop
        asyncio.run_coroutine_threadsafe(send_all(), self._loop).result()


def _frame(message: ServerMessage) -> str:
    return json.dumps(message) if isinstance(message, dict) else msgspec.json.encode(message).decode()


@contextmanager
def running_fake_gateway(rate: float = 1.0) -> Iterator[FakeGateway]:
    socket = listen(LOOPBACK, 0, shared=False)
    fake_gateway = FakeGateway(socket.getsockname()[1], rate)
    config = uvicorn.Config(
        static_pages(
            fake_gateway.handle,
            fake_gateway.preload,
            fake_gateway.display_preload,
            load_embed_sites=fake_gateway.embed_sites,
        ),
        lifespan="off",
        log_level="error",
        ws="websockets-sansio",
        ws_max_queue=64,
    )
    server = uvicorn.Server(config)

    async def serve() -> None:
        fake_gateway._loop = asyncio.get_running_loop()
        await server.serve(sockets=[socket])

    thread = Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    wait_until(lambda: server.started)
    try:
        yield fake_gateway
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join(5)
