"""Chat rooms: look up a room, check access, and read changes since a sequence number."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import msgspec
from django.conf import settings
from django.db.models import F, QuerySet

from crowdgame.accounts.models import Guest
from crowdgame.play.chat.models import ChatLine, ChatRoom, RoomKind
from crowdgame.play.chat.team_rooms import TeamAccess, list_suggestions, load_discussion
from crowdgame.play.duels.models import Duel
from voting import protocol
from voting.admission.seats import Seat

MAX_LINES = 100
DUEL_ROOM_KINDS = (RoomKind.PLAYERS, RoomKind.WATCHERS)


class ChatError(Exception):
    """A refused chat operation. The message is fit to be shown."""


@dataclass(frozen=True, slots=True)
class RoomAccess:
    """Who may read a room.

    The lobby is open to everybody; a duel separates players and watchers until it is `over`. Without `seats`
    nobody may enter a duel's room: a reader could still take a seat of the duel.
    """

    kind: str
    seats: frozenset[int] = frozenset()
    over: bool = False

    def may_enter(self, guest: int | None) -> bool:
        if self.kind == RoomKind.LOBBY:
            return True
        return bool(self.seats) and (self.over or (guest in self.seats) == (self.kind == RoomKind.PLAYERS))


@dataclass(frozen=True, slots=True)
class RoomUpdate:
    """The changes of a room since a sequence number, and who may read them."""

    room: int
    message: protocol.ChatPosted | protocol.DiscussionUpdated
    access: RoomAccess | TeamAccess

    def may_read(self, reader: int | Seat | None) -> bool:
        """Whether a guest, by key, or a seated voter may read the room."""
        if isinstance(reader, Seat):
            return isinstance(self.access, TeamAccess) and self.access.may_enter(reader)
        return isinstance(self.access, RoomAccess) and self.access.may_enter(reader)


def find_room(slug: str) -> ChatRoom | None:
    """Return a room by its slug: `lobby`, `CODE-players` or `CODE-watchers`. None if there is no such room.

    Creates the room on first use.
    """
    if slug == RoomKind.LOBBY and settings.CHAT:
        return ChatRoom.objects.get_or_create(duel=None, kind=RoomKind.LOBBY)[0]
    code, _, kind = slug.partition("-")
    if kind not in DUEL_ROOM_KINDS or not settings.CHAT:
        return None
    duel = Duel.objects.select_related("event").filter(event__code=code.upper()).first()
    if duel is None or not _has_both_players(duel):
        return None
    room = ChatRoom.objects.get_or_create(duel=duel, kind=kind)[0]
    room.duel = duel  # loaded already, with its event
    return room


def room_slug(room: ChatRoom) -> str:
    return f"{room.duel.event.code}-{room.kind}" if room.duel else RoomKind.LOBBY


def duel_rooms(duel: Duel, guest: Guest | None, *, over: bool) -> list[ChatRoom]:
    """Return the rooms of a duel that this guest may enter now. `over`: its latest match has ended.

    A room that nobody has used yet is not saved.
    """
    if not settings.CHAT or not _has_both_players(duel):
        return []
    access = _duel_access(duel, RoomKind.PLAYERS, over)
    kinds = [kind for kind in DUEL_ROOM_KINDS if replace(access, kind=kind).may_enter(guest_pk(guest))]
    found = {room.kind: room for room in ChatRoom.objects.filter(duel=duel, kind__in=kinds)}
    rooms = [found.get(kind) or ChatRoom(kind=kind) for kind in kinds]
    for room in rooms:
        room.duel = duel  # loaded already, with its event
    return rooms


def guest_pk(guest: Guest | None) -> int | None:
    return guest.pk if guest else None


def _has_both_players(duel: Duel) -> bool:
    return duel.one_id is not None and duel.two_id is not None


def room_access(duel: Duel | None, kind: str) -> RoomAccess:
    """Return who may read a room of `duel` now; a lobby has no duel.

    The latest match decides whether it is over.
    """
    if duel is None or not _has_both_players(duel):
        return RoomAccess(kind)
    ended = duel.event.matches.order_by("-number").values_list("ended_at", flat=True).first()
    return _duel_access(duel, kind, over=ended is not None)


def _duel_access(duel: Duel, kind: str, over: bool) -> RoomAccess:
    return RoomAccess(kind, frozenset(pk for pk in (duel.one_id, duel.two_id) if pk is not None), over=over)


def load_lines(room: ChatRoom, blocked: Iterable[Guest], before: int | None = None) -> list[ChatLine]:
    """Return the latest messages, oldest first, before message `before` if given. Includes removed messages.

    Leaves out messages of `blocked` guests.
    """
    if room.pk is None:
        return []
    lines: QuerySet[ChatLine] = room.lines.select_related("guest").order_by("-pk").exclude(guest__in=blocked)
    if before is not None:
        lines = lines.filter(pk__lt=before)
    return list(lines[:MAX_LINES])[::-1]


def load_updates(known: Mapping[int, int]) -> list[RoomUpdate]:
    """Return the changes of all rooms that have changed. `known` maps room keys to sequence numbers."""
    seqs = ChatRoom.objects.filter(pk__in=known).values_list("pk", "seq")
    changed = [pk for pk, seq in seqs if seq != known[pk]]
    rooms = ChatRoom.objects.select_related("duel__event", "event").filter(pk__in=changed) if changed else ()
    return [update_since(room, known[room.pk]) for room in rooms]


def load_update(slug: str, seq: int) -> RoomUpdate | None:
    """Return the changes of one room after `seq`, or None if there is no such room."""
    room = find_room(slug)
    return update_since(room, seq) if room else None


def update_since(room: ChatRoom, seq: int) -> RoomUpdate:
    """Return the changes after `seq`, at most the latest MAX_LINES. Of a team, all of its discussion.

    A `seq` beyond the room's means that the database was restored from a backup: all messages count as
    changes.
    """
    if room.event and room.team:
        discussion = load_discussion(room.event)
        return RoomUpdate(room.pk, list_suggestions(room, discussion), discussion.teams[room.team - 1])
    since = seq if seq <= room.seq else 0
    lines = room.lines.filter(seq__gt=since, seq__lte=room.seq).select_related("guest").order_by("-seq")
    posted = tuple(_to_protocol(line) for line in list(lines[:MAX_LINES])[::-1])
    message = msgspec.convert(vars(room) | {"lines": posted}, protocol.ChatPosted)
    return RoomUpdate(room.pk, message, room_access(room.duel, room.kind))


def _to_protocol(line: ChatLine) -> protocol.ChatLine:
    at = int(line.at.timestamp() * 1000)
    if line.removed:
        return protocol.ChatLine(id=line.pk, at=at, removed=True)
    return protocol.ChatLine(id=line.pk, at=at, who=line.guest.number, name=line.name, text=line.text)


def next_seq(room: ChatRoom) -> int:
    """Increment and return the room's sequence number. Call it in the transaction of the change.

    The update locks the room's row, so that changes of a room are committed in order.
    """
    ChatRoom.objects.filter(pk=room.pk).update(seq=F("seq") + 1)
    room.refresh_from_db(fields=["seq", "slow_s", "closed"])
    return room.seq
