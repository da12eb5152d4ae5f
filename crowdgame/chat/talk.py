"""A room as a page shows it: what was said, who reads, what they may do."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import cast

from django.core.cache import cache
from django.http import HttpRequest
from django.template.loader import render_to_string

from crowdgame.accounts.models import Guest
from crowdgame.chat.keys import Reader, key_for
from crowdgame.chat.models import SLOW_S, ChatRoom, RoomKind
from crowdgame.chat.moderation import moderates, open_reports
from crowdgame.chat.posting import mute_notice
from crowdgame.chat.rooms import SHOWN, find_room, id_of, lines_of, place_of_room, room_access, rooms_beside
from crowdgame.duels.models import Duel

TITLES = {
    RoomKind.LOBBY: "Talk in the hall",
    RoomKind.PLAYERS: "Talk of the players",
    RoomKind.WATCHERS: "Talk of those who watch",
}
HINTS = {
    RoomKind.LOBBY: "Everybody in the hall reads this.",
    RoomKind.PLAYERS: "Until the game is over only the two who play read this.",
    RoomKind.WATCHERS: "Who plays cannot read this until the game is over.",
}
KEPT_S = 60
OVER = "The game is over: everybody reads this now."


@dataclass(frozen=True, slots=True)
class Talk:
    """`refused` is a message not posted, `problem` says why; `mute_notice` why a guest cannot post."""

    room: ChatRoom
    place: str
    guest: Guest | None
    lines: str
    first: int
    blocked: list[Guest]
    moderates: bool
    over: bool = False
    problem: str = ""
    refused: str = ""

    @property
    def title(self) -> str:
        return TITLES[RoomKind(self.room.kind)]

    @property
    def hint(self) -> str:
        return OVER if self.over else HINTS[RoomKind(self.room.kind)]

    @property
    def has_more(self) -> bool:
        """Perhaps: those who are muted and those that are removed are not among the lines."""
        return self.room.seq > SHOWN and self.first > 0

    @property
    def key(self) -> str:
        return key_for(Reader(self.place, id_of(self.guest)))

    @property
    def mute_notice(self) -> str:
        return mute_notice(self.guest) if self.guest else ""

    @property
    def reports(self) -> int:
        return open_reports()

    @property
    def times(self) -> tuple[int, ...]:
        return SLOW_S


def talk_in(request: HttpRequest, room: ChatRoom, guest: Guest | None, before: int | None = None) -> Talk:
    blocked = [block.blocked for block in guest.blocks.select_related("blocked")] if guest else []
    sees_all = moderates(request.user)
    draws = partial(_draw, room, blocked, sees_all, before)
    alike = not (blocked or sees_all or before)
    drawn, first = _kept(room, draws) if alike else draws()
    return Talk(
        room=room,
        place=place_of_room(room),
        guest=guest,
        lines=drawn,
        first=first,
        blocked=blocked,
        moderates=sees_all,
        over=room_access(room.duel, room.kind).over,
    )


def _kept(room: ChatRoom, draws: Callable[[], tuple[str, int]]) -> tuple[str, int]:
    """What all read alike is drawn once after each change: a hundred lines take longer than all the rest."""
    return cast(tuple[str, int], cache.get_or_set(f"chat.{room.pk}.{room.seq}", draws, KEPT_S))


def _draw(room: ChatRoom, blocked: list[Guest], sees_all: bool, before: int | None) -> tuple[str, int]:
    """The lines as they are read, and the number of the first; 0 if there is none."""
    lines = [line for line in lines_of(room, blocked, before) if sees_all or not line.removed]
    drawn = render_to_string("chat/lines.html", {"lines": lines, "place": place_of_room(room)})
    return drawn, lines[0].pk if lines else 0


def talk_in_lobby(request: HttpRequest, guest: Guest | None) -> Talk | None:
    room = find_room(RoomKind.LOBBY)
    return talk_in(request, room, guest) if room else None


def talks_beside(request: HttpRequest, duel: Duel, guest: Guest | None) -> list[Talk]:
    return [talk_in(request, room, guest) for room in rooms_beside(duel, guest)]
