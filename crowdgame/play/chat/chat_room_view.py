"""View model of a chat room: its messages, its reader and what the reader may do."""

from dataclasses import dataclass
from functools import partial
from typing import cast

from django.core.cache import caches
from django.db.models import Count, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from crowdgame.accounts.models import Guest
from crowdgame.play.chat.models import SLOW_S, ChatBlock, ChatReport, ChatRoom, RoomKind
from crowdgame.play.chat.moderation import is_moderator
from crowdgame.play.chat.posting import mute_notice
from crowdgame.play.chat.reader_keys import ChatReader, make_reader_key
from crowdgame.play.chat.rooms import MAX_LINES, guest_pk, load_lines, room_slug

ROOM_TITLES = {
    RoomKind.LOBBY: _("Lobby chat"),
    RoomKind.PLAYERS: _("Players' chat"),
    RoomKind.WATCHERS: _("Watchers' chat"),
}
ROOM_HINTS = {
    RoomKind.LOBBY: _("Everyone can read this chat."),
    RoomKind.PLAYERS: _("Only the two players can read this until the game ends."),
    RoomKind.WATCHERS: _("The players cannot read this until the game ends."),
}
LINES_TTL_S = 60
DUEL_OVER_HINT = _("The game is over. Everyone can read this now.")


@dataclass(frozen=True, slots=True)
class Visitor:
    """The reader of a page with chat rooms. `mute_notice` is the notice for a muted guest.

    `reports` is the number of open reports, for moderators only.
    """

    guest: Guest | None
    blocked: list[Guest]
    mute_notice: str
    is_moderator: bool
    reports: int


@dataclass(frozen=True, slots=True)
class RoomView:
    """A room for one reader. `lines` is rendered HTML, `first` the key of the first message in it.

    `refused` is a message that was not posted, `problem` the reason.
    """

    room: ChatRoom
    slug: str
    visitor: Visitor
    lines: str
    first: int
    over: bool = False
    problem: str = ""
    refused: str = ""

    @property
    def title(self) -> str:
        return str(ROOM_TITLES[RoomKind(self.room.kind)])

    @property
    def hint(self) -> str:
        return str(DUEL_OVER_HINT if self.over else ROOM_HINTS[RoomKind(self.room.kind)])

    @property
    def has_more(self) -> bool:
        """Whether there may be earlier messages.

        An estimate: blocked guests and removed messages are left out.
        """
        return self.room.seq > MAX_LINES and self.first > 0

    @property
    def key(self) -> str:
        return make_reader_key(ChatReader(self.slug, guest_pk(self.visitor.guest)))

    @property
    def times(self) -> tuple[int, ...]:
        return SLOW_S


def load_visitor(request: HttpRequest, guest: Guest | None) -> Visitor:
    """Load the visitor in one query, besides those of the login and its permissions."""
    moderates = is_moderator(request.user)
    reports = ChatReport.objects.filter(settled=False)
    if guest is None:
        return Visitor(None, [], "", moderates, reports.count() if moderates else 0)
    number = reports.values("settled").annotate(number=Count("pk")).values("number") if moderates else None
    blocked = ChatBlock.objects.filter(guest=guest).values("blocked")
    found = (
        Guest.objects.filter(Q(pk=guest.pk) | Q(pk__in=blocked))
        .select_related("mute")
        .annotate(reports=Coalesce(Subquery(number), 0) if number is not None else Value(0))
    )
    guests = {one.pk: one for one in found}
    own = guests.pop(guest.pk)
    return Visitor(
        guest=guest,
        blocked=list(guests.values()),
        mute_notice=mute_notice(getattr(own, "mute", None)),
        is_moderator=moderates,
        reports=own.reports,
    )


def view_room(visitor: Visitor, room: ChatRoom, over: bool, before: int | None = None) -> RoomView:
    """Load a room as this visitor sees it: the latest messages, or those before message `before`.

    Hides messages of guests that the visitor has blocked. Removed messages are for moderators only. `over`
    tells that the room's duel is.
    """
    draws = partial(_render_lines, room, visitor.blocked, visitor.is_moderator, before)
    if visitor.blocked or visitor.is_moderator or before or room.pk is None:
        drawn, first = draws()
    else:  # these visitors all see the same in one language, and rendering a hundred messages takes long
        kept = caches["local"].get_or_set(f"chat.{room.pk}.{room.seq}.{get_language()}", draws, LINES_TTL_S)
        drawn, first = cast(tuple[str, int], kept)
    return RoomView(room, room_slug(room), visitor, drawn, first, over)


def _render_lines(
    room: ChatRoom, blocked: list[Guest], sees_all: bool, before: int | None
) -> tuple[str, int]:
    """Return the messages as HTML, and the key of the first one; 0 if there is none."""
    lines = [line for line in load_lines(room, blocked, before) if sees_all or not line.removed]
    drawn = render_to_string("chat/lines.html", {"lines": lines, "slug": room_slug(room), "early": before})
    return drawn, lines[0].pk if lines else 0
