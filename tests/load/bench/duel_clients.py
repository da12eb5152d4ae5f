"""The players and watchers of one duel."""

import asyncio
import random
from collections import defaultdict
from collections.abc import Callable
from typing import Protocol, cast

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.phone_connection import PhoneConnection
from crowdgame.rehearsal.samples import Samples
from crowdgame.rehearsal.server_clock import ServerClock
from voting import protocol

RETRY_S = 15.0
PLAYERS = 2


class DuelStats(Protocol):
    """Shared records of all clients. `think`: seconds until a player picks, or None for never."""

    clock: ServerClock
    revealed_ms: Samples
    waited_ms: Samples
    watched_ms: Samples
    failures: list[str]
    crowded: int

    def think(self) -> float | None: ...


class DuelClient:
    """A client of a page; it retries after a rejection, as pages do."""

    def __init__(
        self,
        stats: DuelStats,
        join: protocol.PhoneJoin | protocol.DisplayJoin,
        on_message: Callable[[protocol.ToPhone], None],
    ) -> None:
        self._stats = stats
        self._on_message = on_message
        self._join = cast(protocol.PhoneMessage, join)
        self._connection = PhoneConnection(self)
        self._address: ServerAddress | None = None
        self._reconnecting: asyncio.TimerHandle | None = None
        self._left = False

    def connect(self, address: ServerAddress) -> None:
        self._address = address
        self._connection.dial(address)

    def leave(self) -> None:
        self._left = True
        if self._reconnecting:
            self._reconnecting.cancel()
        self._connection.hang_up()

    def opened(self) -> None:
        self._connection.write(self._join)

    def receive_unreadable(self) -> None:
        """Ignore broadcasts that are not changes."""

    def closed(self, code: int | None, failure: str) -> None:
        if self._left:
            return
        if code == protocol.CloseCode.CROWDED and self._address:
            self._stats.crowded += 1
            wait_s = random.uniform(0, RETRY_S)
            self._reconnecting = asyncio.get_running_loop().call_later(
                wait_s, self._connection.dial, self._address
            )
        else:
            self._stats.failures.append(failure)

    def receive(self, message: protocol.ToPhone) -> None:
        self._on_message(message)


class DuelPlayer(DuelClient):
    """Picks some column once in each turn."""

    def __init__(self, stats: DuelStats, code: str, key: str) -> None:
        super().__init__(stats, protocol.PhoneJoin(code=code, key=key), self._handle_message)
        self._turn = 0
        self._thinking: asyncio.TimerHandle | None = None
        self.picks = defaultdict[int, list[float]](list)  # by turn, shared with the other player

    def leave(self) -> None:
        if self._thinking:
            self._thinking.cancel()
        super().leave()

    def _handle_message(self, message: protocol.ToPhone) -> None:
        match message:
            case protocol.PhoneWelcomed():
                self._stats.clock.welcome(message.now_at)
                self._connection.write(protocol.ClockAsk(sent=self._stats.clock.local_ms()))
                self._see(message.state)
            case protocol.ClockSynced():
                self._stats.clock.sync(message.sent, message.now_at)
            case protocol.Change():
                self._record_reveal(message)
                self._see(message.state)
            case protocol.BallotRefused() | protocol.Error():
                self._stats.failures.append(message.code)

    def _record_reveal(self, change: protocol.Change) -> None:
        reveal = change.state.match and change.state.match.reveal
        if isinstance(change, protocol.TurnRevealed) and reveal:
            now = self._stats.clock.now_ms()
            self._stats.revealed_ms.add(now - reveal.sealed_at)
            if len(picked := self.picks[reveal.turn]) == PLAYERS:
                self._stats.waited_ms.add(now - max(picked))

    def _see(self, state: protocol.EventState) -> None:
        turn = state.match.turn if state.match else None
        if turn is None or turn.id == self._turn:
            return
        self._turn = turn.id
        seconds = self._stats.think()
        if seconds is not None:
            wait_s = max(0.0, self._stats.clock.until(turn.opens_at)) + seconds
            self._thinking = asyncio.get_running_loop().call_later(wait_s, self._pick, turn)

    def _pick(self, turn: protocol.Turn) -> None:
        self.picks[turn.id].append(self._stats.clock.now_ms())
        legal = turn.legal.red if "red" in turn.to_move else turn.legal.yellow
        choice = legal[turn.id % len(legal)]
        self._connection.write(protocol.BallotCast(turn=turn.id, epoch=turn.epoch, choice=choice, sequence=1))


class DuelWatcher(DuelClient):
    """A spectator's display."""

    def __init__(self, stats: DuelStats, code: str) -> None:
        super().__init__(stats, protocol.DisplayJoin(code=code), self._handle_message)

    def _handle_message(self, message: protocol.ToPhone) -> None:
        if isinstance(message, protocol.TurnRevealed) and (match := message.state.match) and match.reveal:
            self._stats.watched_ms.add(self._stats.clock.now_ms() - match.reveal.resolved_at)
