"""Rooms to talk in: which there are, who may enter, and what is new in them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db.models import F, QuerySet

from crowdgame.accounts.models import Guest
from crowdgame.chat.models import ChatLine, ChatRoom, RoomKind
from crowdgame.duels.models import Duel
from voting import protocol

MAX_LINES = 100
DUEL_ROOM_KINDS = (RoomKind.PLAYERS, RoomKind.WATCHERS)


class ChatError(Exception):
    """What cannot be said or done now; the message is fit to be shown."""


@dataclass(frozen=True, slots=True)
class RoomAccess:
    """Whom a room lets in: the hall everybody; of a duel players and watchers apart until it is `over`.

    No `seats`: nobody, as whoever reads now may take one of them.
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
    """What was said or removed in a room since somebody knew of it, and who may hear it."""

    room: int
    message: protocol.ChatPosted
    access: RoomAccess


def find_room(slug: str) -> ChatRoom | None:
    """`hall`, or of a duel `CODE-players` and `CODE-watchers`; None if there is no such room."""
    if slug == RoomKind.LOBBY and settings.CHAT:
        return ChatRoom.objects.get_or_create(duel=None, kind=RoomKind.LOBBY)[0]
    code, _, kind = slug.partition("-")
    if kind not in DUEL_ROOM_KINDS or not settings.CHAT:
        return None
    duel = Duel.objects.select_related("event").filter(event__code=code.upper()).first()
    if duel is None or not _has_both_players(duel):
        return None
    return ChatRoom.objects.get_or_create(duel=duel, kind=kind)[0]


def room_slug(room: ChatRoom) -> str:
    return f"{room.duel.event.code}-{room.kind}" if room.duel else RoomKind.LOBBY


def duel_rooms(duel: Duel, guest: Guest | None) -> list[ChatRoom]:
    """Those of a duel that this guest may enter now."""
    if not settings.CHAT or not _has_both_players(duel):
        return []
    access = room_access(duel, RoomKind.PLAYERS)
    kinds = [
        kind
        for kind in DUEL_ROOM_KINDS
        if RoomAccess(kind, access.seats, access.over).may_enter(guest_pk(guest))
    ]
    return [ChatRoom.objects.get_or_create(duel=duel, kind=kind)[0] for kind in kinds]


def guest_pk(guest: Guest | None) -> int | None:
    return guest.pk if guest else None


def _has_both_players(duel: Duel) -> bool:
    return duel.one_id is not None and duel.two_id is not None


def room_access(duel: Duel | None, kind: str) -> RoomAccess:
    if duel is None or duel.one_id is None or duel.two_id is None:
        return RoomAccess(kind)
    ended = duel.event.matches.order_by("-number").values_list("ended_at", flat=True).first()
    return RoomAccess(kind, frozenset({duel.one_id, duel.two_id}), over=ended is not None)


def load_lines(room: ChatRoom, blocked: Iterable[Guest], before: int | None = None) -> list[ChatLine]:
    """The latest, oldest first, without those of guests who are muted; also removed ones."""
    lines: QuerySet[ChatLine] = room.lines.select_related("guest").order_by("-pk").exclude(guest__in=blocked)
    if before is not None:
        lines = lines.filter(pk__lt=before)
    return list(lines[:MAX_LINES])[::-1]


def load_updates(known: Mapping[int, int]) -> list[RoomUpdate]:
    """Of those rooms in which more has changed than that; `known` is a `seq` by room."""
    seqs = ChatRoom.objects.filter(pk__in=known).values_list("pk", "seq")
    changed = [pk for pk, seq in seqs if seq != known[pk]]
    rooms = ChatRoom.objects.select_related("duel__event").filter(pk__in=changed) if changed else ()
    return [update_since(room, known[room.pk]) for room in rooms]


def load_update(slug: str, seq: int) -> RoomUpdate | None:
    """None if there is no such room."""
    room = find_room(slug)
    return update_since(room, seq) if room else None


def update_since(room: ChatRoom, seq: int) -> RoomUpdate:
    """The latest at most. One who knows more than there is hears all of it: an older copy is in place."""
    since = seq if seq <= room.seq else 0
    lines = room.lines.filter(seq__gt=since, seq__lte=room.seq).select_related("guest").order_by("-seq")
    message = protocol.ChatPosted(
        seq=room.seq,
        slow_s=room.slow_s,
        closed=room.closed,
        lines=tuple(_to_protocol(line) for line in list(lines[:MAX_LINES])[::-1]),
    )
    return RoomUpdate(room.pk, message, room_access(room.duel, room.kind))


def _to_protocol(line: ChatLine) -> protocol.ChatLine:
    at = int(line.at.timestamp() * 1000)
    if line.removed:
        return protocol.ChatLine(id=line.pk, at=at, removed=True)
    return protocol.ChatLine(id=line.pk, at=at, who=line.guest.number, name=line.name, text=line.text)


def next_seq(room: ChatRoom) -> int:
    """The number of a change. In its transaction: others in this room wait until that is done."""
    ChatRoom.objects.filter(pk=room.pk).update(seq=F("seq") + 1)
    room.refresh_from_db(fields=["seq", "slow_s", "closed"])
    return room.seq
