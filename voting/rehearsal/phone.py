"""A simulated phone: a socket that joins, comes back by the close code's policy, and keeps its seat."""

import asyncio

from msgspec import DecodeError
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.connection import broadcast
from websockets.exceptions import ConnectionClosed, WebSocketException

from voting import protocol
from voting.protocol import CloseCode, PhoneMessage
from voting.rehearsal.hall import Hall
from voting.rehearsal.voter import Voter
from voting.rehearsal.wire import decode, encode

BACK_OFF_S = 0.5
BACK_OFF_MAX_S = 8.0
STAY_AWAY_FROM = 4500
KNOCK_AGAIN_S = 3.0
CLOCK_EVERY_S = 15.0
SILENCE_S = 40.0
CLOSE_S = 0.4
OPEN_S = 10.0
MAX_FRAME = 1 << 20


class Phone:
    """`live` returns only when the server wants it to stay away. `trouble` is what went wrong last.

    `answered` is set once a server has let it in, or said why not.
    """

    def __init__(self, index: int, hall: Hall) -> None:
        self.index = index
        self.trouble = ""
        self.answered = asyncio.Event()
        self._hall = hall
        self._voter = Voter(index, hall, self._write)
        self._socket: ClientConnection | None = None
        self._seq = -1
        self._state: protocol.EventState | None = None
        self._team = hall.team
        self._attempts = 0
        self._heard_ms = 0.0
        self._seen_before = False
        self._timers: dict[str, asyncio.TimerHandle] = {}

    @property
    def joined(self) -> bool:
        return self._seq >= 0

    async def live(self) -> None:
        while True:
            code = await self._visit()
            if not self._comes_back(code):
                break
            await asyncio.sleep(self._back_off())
        self._voter.leave()

    def leave(self) -> None:
        self._voter.leave()

    async def _visit(self) -> int | None:
        """One connection, from its beginning to its end: the close code, None if there is none."""
        try:
            async with connect(
                self._hall.address,
                compression=None,
                proxy=None,
                ping_interval=None,
                open_timeout=OPEN_S,
                close_timeout=CLOSE_S,
                max_size=MAX_FRAME,
            ) as socket:
                await self._stay(socket)
            self.trouble = socket.close_reason or f"it closes with {socket.close_code}"
            return socket.close_code
        except (OSError, WebSocketException) as trouble:
            self.trouble = str(trouble) or type(trouble).__name__
            return None

    async def _stay(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._heard()
        self._knock()
        try:
            while True:
                frame = await socket.recv(decode=True)
                self._heard()
                self._read(frame)
        except ConnectionClosed:
            return
        finally:
            self._hang_up()

    def _hang_up(self) -> None:
        self._socket = None
        if self.joined:
            self._hall.connected -= 1
        self._seq = -1
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _comes_back(self, code: int | None) -> bool:
        """A seat that is no longer good is given up, as a person would who joins anew."""
        if code == CloseCode.BAD_TOKEN and self._hall.tokens.pop(self.index, ""):
            return True
        if code is None or not STAY_AWAY_FROM <= code <= STAY_AWAY_FROM + 499:
            return True
        self._hall.ledger.away[str(code)] += 1
        return False

    def _back_off(self) -> float:
        limit = min(BACK_OFF_MAX_S, BACK_OFF_S * 2**self._attempts)
        self._attempts = min(self._attempts + 1, 10)
        return self._hall.rng.uniform(0, limit)

    def _after(self, name: str, seconds: float) -> None:
        what = {"knock": self._knock, "clock": self._look_alive}[name]
        self._timers[name] = asyncio.get_running_loop().call_later(seconds, what)

    def _knock(self) -> None:
        token = self._hall.tokens.get(self.index)
        self._write(protocol.PhoneJoin(code=self._hall.code, token=token, team=self._team))

    def _look_alive(self) -> None:
        """Ask the time; a server that was silent for long is gone without a word."""
        silence_ms = self._hall.clock.local_ms() - self._heard_ms
        if self._socket and silence_ms > SILENCE_S * 1000:
            self._socket.transport.abort()
            return
        self._write(protocol.ClockAsk(sent=self._hall.clock.local_ms()))
        self._after("clock", CLOCK_EVERY_S * self._hall.rng.uniform(0.7, 1.3))

    def _heard(self) -> None:
        self._heard_ms = self._hall.clock.local_ms()

    def _write(self, message: PhoneMessage) -> bool:
        """Never waits: a frame is tiny, and a full pipe shows as silence."""
        if self._socket is None or (isinstance(message, protocol.BallotCast) and not self.joined):
            return False
        broadcast((self._socket,), encode(message))
        return True

    def _read(self, frame: str) -> None:
        try:
            self._hear(decode(frame))
        except DecodeError:
            self._hall.ledger.unreadable += 1

    def _hear(self, message: protocol.ToPhone) -> None:
        match message:
            case protocol.Change():
                self._change(message)
            case protocol.BallotCounted():
                self._voter.counted(message)
            case protocol.BallotRefused():
                self._voter.refused(message)
            case protocol.ClockTold():
                self._hall.clock.told(message.sent, message.now_at)
            case protocol.PhoneWelcomed():
                self._welcome(message)
            case protocol.ErrorTold():
                self._error(message)

    def _welcome(self, welcomed: protocol.PhoneWelcomed) -> None:
        ledger = self._hall.ledger
        ledger.reconnects += self._seen_before
        ledger.joined += not self._seen_before
        self._seen_before = True
        self._attempts = 0
        self.answered.set()
        self._hall.connected += 1
        self._hall.tokens[self.index] = welcomed.you.token
        self._hall.clock.welcome(welcomed.now_at)
        self._seq, self._state = welcomed.seq, welcomed.state
        self._look_alive()
        self._voter.welcome(welcomed.you, welcomed.state)

    def _change(self, change: protocol.Change) -> None:
        if not self.joined or change.seq <= self._seq:
            return
        before, self._seq, self._state = self._state, change.seq, change.state
        if isinstance(change, protocol.TurnRevealed):
            self._revealed(before, change.state)
        self._voter.see(change.state)

    def _revealed(self, before: protocol.EventState | None, state: protocol.EventState) -> None:
        reveal = state.match.reveal if state.match else None
        turn = before.match.turn if before and before.match else None
        if reveal is None:
            return
        first = self._hall.ledger.reveal(reveal)
        if turn and turn.id == reveal.turn:
            self._hall.ledger.tell(reveal, turn.closes_at, self._hall.clock.now_ms())
        if first:
            self._hall.on_reveal(state)

    def _error(self, error: protocol.ErrorTold) -> None:
        self._hall.ledger.errors[error.code] += 1
        self.trouble = error.text
        self.answered.set()
        if error.code == "team_needed":
            self._team = self.index % 2 + 1
            self._knock()
        elif error.code in ("lobby_closed", "joining_locked"):
            self._after("knock", KNOCK_AGAIN_S * self._hall.rng.uniform(0.5, 1.5))
