"""Chat fan-out of a gateway: polls the database twice a second and forwards changes to the listening sockets.

Chat rooms exist in the database only. One poll serves all sockets of all rooms.
"""

import asyncio
import logging
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Protocol

from channels.db import DatabaseSyncToAsync

from crowdgame.play.chat.rooms import RoomUpdate, load_update, load_updates
from crowdgame.play.chat.suggestions import VoterAnswer, VoterAsk, answer_voters
from games.engine.errors import GameError
from voting.admission.seats import Seat
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.gateway import hooks
from voting.gateway.gateway import gateway
from voting.gateway.supplements import write_to_all
from voting.gateway.text_frames import encode
from voting.gateway.voters import Socket
from voting.protocol import CloseCode

log = logging.getLogger(__name__)

POLL_S = 0.5
MAX_LISTENERS = 5_000
LISTENERS_PER_POLL = 250
ASKS_PER_POLL = 50  # of voters, so that ballots wait no longer
UNKNOWN_SEQ = -1

# A thread of its own: chat joins and ballots do not delay each other.
_thread = ThreadPoolExecutor(1, "gateway-chat")
in_chat_thread: Any = partial(DatabaseSyncToAsync, thread_sensitive=False, executor=_thread)


class VoterSocket(Socket, Protocol):
    """The socket of a voter in a team discussion."""

    has_left: bool

    def take_answer(self, ask: VoterAsk, answer: VoterAnswer | None) -> None:
        """Send the answer, or close the socket of a voter who may not read."""


@dataclass(slots=True)
class ChatRoomListeners:
    """A room's sockets, each with its guest's key, its voter's seat or None.

    All have received the changes up to `seq`. Busy rooms are polled less often.
    """

    seq: int
    listeners: dict[Socket, int | Seat | None] = field(default_factory=dict)
    is_busy: bool = False

    @property
    def polls_between(self) -> int:
        """Of a busy room, whose changes are long: so many that all its listeners together receive little."""
        return max(2, len(self.listeners) // LISTENERS_PER_POLL) if self.is_busy else 1


class ChatHub:
    """The chat rooms with listeners at this gateway. Used on the event loop only."""

    def __init__(self) -> None:
        self._rooms: dict[int, ChatRoomListeners] = {}
        self._polled = 0
        self._asks: deque[tuple[VoterSocket, VoterAsk]] = deque()
        self._polls: dict[tuple[str, int], asyncio.Task[RoomUpdate | None]] = {}

    @property
    def is_full(self) -> bool:
        return sum(len(room_listeners.listeners) for room_listeners in self._rooms.values()) >= MAX_LISTENERS

    def listeners(self) -> list[Socket]:
        return [socket for room_listeners in self._rooms.values() for socket in room_listeners.listeners]

    async def news(self, slug: str, seq: int) -> RoomUpdate | None:
        """Return a room's changes after `seq`, or None if there is no such room. Raises DATABASE_ERRORS.

        After a restart, many sockets join with the same `seq`. All of one half second share a query.
        """
        known = (slug, seq)
        if known not in self._polls:
            poll = self._polls[known] = asyncio.create_task(in_chat_thread(load_update)(slug, seq))
            poll.add_done_callback(lambda done: done.cancelled() or done.exception())  # waiters may be gone
            asyncio.get_running_loop().call_later(POLL_S, self._polls.pop, known)
        return await asyncio.shield(self._polls[known])

    def enter_team(self, socket: Socket, seat: Seat, room: int) -> None:
        """Add a voter's socket. The next poll sends everybody in the room its discussion."""
        room_listeners = self._rooms.setdefault(room, ChatRoomListeners(UNKNOWN_SEQ, is_busy=True))
        room_listeners.seq = UNKNOWN_SEQ
        room_listeners.listeners[socket] = seat

    def enter(self, socket: Socket, guest: int | None, news: RoomUpdate) -> None:
        """Add a socket and send it the changes that it lacks.

        The room keeps the lower sequence number. The next poll then sends everybody what they may lack;
        clients ignore messages they have.
        """
        room_listeners = self._rooms.setdefault(news.room, ChatRoomListeners(news.message.seq))
        room_listeners.seq = min(room_listeners.seq, news.message.seq)
        room_listeners.listeners[socket] = guest
        socket.write(encode(news.message))

    def ask(self, socket: VoterSocket, ask: VoterAsk) -> None:
        """Answer a voter with one of the next polls."""
        self._asks.append((socket, ask))

    async def answer(self) -> None:
        """Answer the oldest asks of connected voters together."""
        taken: list[tuple[VoterSocket, VoterAsk]] = []
        while self._asks and len(taken) < ASKS_PER_POLL:
            socket, ask = self._asks.popleft()
            if not socket.has_left:
                taken.append((socket, ask))
        if not taken:
            return
        try:
            answers = await in_chat_thread(answer_voters)([ask for _, ask in taken], gateway().now())
        except (*DATABASE_ERRORS, GameError) as error:
            log.warning("suggestions are not answered: %s", error)
            for socket, _ in taken:
                socket.end(CloseCode.UNAVAILABLE)
            return
        for (socket, ask), answer in zip(taken, answers, strict=True):
            socket.take_answer(ask, answer)

    def leave(self, socket: Socket, room: int) -> None:
        room_listeners = self._rooms.get(room)
        if room_listeners is not None:
            room_listeners.listeners.pop(socket, None)
            if not room_listeners.listeners:
                del self._rooms[room]

    async def poll_forever(self) -> None:
        while True:
            await asyncio.sleep(POLL_S)
            await self.answer()
            try:
                await self.poll()
            except DATABASE_ERRORS as error:
                log.warning("chat messages are delayed: %s", error)

    async def poll(self) -> None:
        """Query all rooms once, large ones less often, and forward their changes."""
        self._polled += 1
        known = {room: one.seq for room, one in self._rooms.items() if self._polled % one.polls_between == 0}
        if known:
            for news in await in_chat_thread(load_updates)(known):
                await self._post(news)

    async def _post(self, news: RoomUpdate) -> None:
        """Forward changes to the sockets that may still read the room, and close the others.

        Access changes while sockets listen: a game may have started.
        """
        room_listeners = self._rooms.get(news.room)
        if room_listeners is None:
            return
        room_listeners.seq = news.message.seq
        for socket, reader in list(room_listeners.listeners.items()):
            if not news.may_read(reader):
                del room_listeners.listeners[socket]
                socket.end(CloseCode.NOT_ALLOWED)
        await write_to_all(tuple(room_listeners.listeners), encode(news.message))


@cache
def chat_hub() -> ChatHub:
    """Return this process's hub, created on the event loop of its first socket."""
    return ChatHub()


# Called later, because a hub belongs to the event loop of the gateway.
hooks.background_tasks.append(lambda: chat_hub().poll_forever())
hooks.drained_sockets.append(lambda: chat_hub().listeners())
