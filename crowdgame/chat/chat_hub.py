"""Who listens where guests talk, at this gateway: twice a second they are told what is new.

The rooms are in the database and nowhere else; one look is for all who listen to any of them.
"""

import asyncio
import logging
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from channels.db import DatabaseSyncToAsync

from crowdgame.chat.rooms import News, news_in, news_of
from voting.ballot_box.stores import DATABASE_AWAY
from voting.gateway import hooks
from voting.gateway.broadcast import encode, write_to_all
from voting.gateway.voters import Socket
from voting.protocol import CloseCode

log = logging.getLogger(__name__)

LOOK_S = 0.5
MOST_LISTENERS = 5_000

# Who comes to talk waits for nobody's ballot, and no ballot for them.
_thread = ThreadPoolExecutor(1, "gateway-chat")
in_the_parlour: Any = partial(DatabaseSyncToAsync, thread_sensitive=False, executor=_thread)


@dataclass(slots=True)
class Parlour:
    """A room in which everybody here knows all up to `seq`; of each socket the guest who listens, or None."""

    seq: int
    listeners: dict[Socket, int | None] = field(default_factory=dict)


class Parlours:
    def __init__(self) -> None:
        self._rooms: dict[int, Parlour] = {}
        self._looks: dict[tuple[str, int], asyncio.Task[News | None]] = {}

    @property
    def is_full(self) -> bool:
        return sum(len(parlour.listeners) for parlour in self._rooms.values()) >= MOST_LISTENERS

    def listeners(self) -> list[Socket]:
        return [socket for parlour in self._rooms.values() for socket in parlour.listeners]

    async def news(self, place: str, seq: int) -> News | None:
        """What somebody lacks who knows so much; None if there is no such room.

        A full hall that comes back at once knows the same: all of half a second share one look. Raises
        DATABASE_AWAY.
        """
        known = (place, seq)
        if known not in self._looks:
            look = self._looks[known] = asyncio.create_task(in_the_parlour(news_in)(place, seq))
            look.add_done_callback(lambda done: done.cancelled() or done.exception())  # perhaps nobody waits
            asyncio.get_running_loop().call_later(LOOK_S, self._looks.pop, known)
        return await asyncio.shield(self._looks[known])

    def enter(self, socket: Socket, guest: int | None, news: News) -> None:
        """With the news that the socket lacked; who is here already hears it at the next look."""
        parlour = self._rooms.setdefault(news.room, Parlour(news.told.seq))
        parlour.seq = min(parlour.seq, news.told.seq)
        parlour.listeners[socket] = guest
        socket.write(encode(news.told))

    def leave(self, socket: Socket, room: int) -> None:
        parlour = self._rooms.get(room)
        if parlour is not None:
            parlour.listeners.pop(socket, None)
            if not parlour.listeners:
                del self._rooms[room]

    async def look_for_ever(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self.look()
            except DATABASE_AWAY as trouble:
                log.warning("nobody hears what is said: %s", trouble)

    async def look(self) -> None:
        known = {room: parlour.seq for room, parlour in self._rooms.items()}
        if known:
            for news in await in_the_parlour(news_of)(known):
                await self._tell(news)

    async def _tell(self, news: News) -> None:
        """To those whom the door still lets in: a game may have begun since they came."""
        parlour = self._rooms.get(news.room)
        if parlour is None:
            return
        parlour.seq = news.told.seq
        for socket, guest in list(parlour.listeners.items()):
            if not news.door.lets_in(guest):
                del parlour.listeners[socket]
                socket.end(CloseCode.NOT_ALLOWED)
        await write_to_all(tuple(parlour.listeners), encode(news.told))


@cache
def chat_hub() -> Parlours:
    """This process's, made on the event loop of its first socket."""
    return Parlours()


async def _look_for_ever() -> None:
    await chat_hub().look_for_ever()


def _listeners() -> Iterable[Socket]:
    return chat_hub().listeners()


hooks.background_tasks.append(_look_for_ever)
hooks.drained_sockets.append(_listeners)
