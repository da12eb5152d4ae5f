"""A room as a page shows it: what was said, who reads, what they may do."""

from dataclasses import dataclass

from django.http import HttpRequest

from games.models import SLOW_S, ChatLine, ChatRoom, Duel, Guest, RoomKind
from voting.chat.keys import Reader, key_for
from voting.chat.moderating import moderates, open_reports
from voting.chat.rooms import SHOWN, door_of, find_room, id_of, lines_of, place_of_room, rooms_beside
from voting.chat.saying import told_silence

TITLES = {
    RoomKind.HALL: "Talk in the hall",
    RoomKind.PLAYERS: "Talk of the players",
    RoomKind.WATCHERS: "Talk of those who watch",
}
HINTS = {
    RoomKind.HALL: "Everybody in the hall reads this.",
    RoomKind.PLAYERS: "Until the game is over only the two who play read this.",
    RoomKind.WATCHERS: "Who plays cannot read this until the game is over.",
}
OVER = "The game is over: everybody reads this now."


@dataclass(frozen=True, slots=True)
class Talk:
    """`refused` is what somebody wanted to say, `problem` why it was not said; `silenced` why they cannot."""

    room: ChatRoom
    place: str
    guest: Guest | None
    lines: list[ChatLine]
    muted: list[Guest]
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
        return self.room.seq > SHOWN and bool(self.lines)

    @property
    def key(self) -> str:
        return key_for(Reader(self.place, id_of(self.guest)))

    @property
    def silenced(self) -> str:
        return told_silence(self.guest) if self.guest else ""

    @property
    def reports(self) -> int:
        return open_reports()

    @property
    def times(self) -> tuple[int, ...]:
        return SLOW_S


def talk_in(request: HttpRequest, room: ChatRoom, guest: Guest | None, before: int | None = None) -> Talk:
    sees_all = moderates(request.user)
    lines = lines_of(room, guest, before)
    return Talk(
        room=room,
        place=place_of_room(room),
        guest=guest,
        lines=[line for line in lines if sees_all or not line.removed],
        muted=[mute.muted for mute in guest.mutes.select_related("muted")] if guest else [],
        moderates=sees_all,
        over=door_of(room.duel, room.kind).over,
    )


def talk_in_hall(request: HttpRequest, guest: Guest | None) -> Talk | None:
    room = find_room(RoomKind.HALL)
    return talk_in(request, room, guest) if room else None


def talks_beside(request: HttpRequest, duel: Duel, guest: Guest | None) -> list[Talk]:
    return [talk_in(request, room, guest) for room in rooms_beside(duel, guest)]
