"""Template tags for chat rooms on other pages.

`{% lobby_chat as talk %}` and `{% duel_chat duel match as talks %}`.
"""

from typing import Any

from django import template

from crowdgame.play.chat.chat_room_view import RoomView, load_visitor, view_room
from crowdgame.play.chat.models import RoomKind
from crowdgame.play.chat.rooms import duel_rooms, find_room
from crowdgame.play.duels.models import Duel
from voting.models import Match

register = template.Library()


@register.simple_tag(takes_context=True)
def lobby_chat(context: dict[str, Any]) -> RoomView | None:
    room = find_room(RoomKind.LOBBY)
    if room is None:
        return None
    return view_room(load_visitor(context["request"], context["guest"]), room, over=False)


@register.simple_tag(takes_context=True)
def duel_chat(context: dict[str, Any], duel: Duel, match: Match | None) -> list[RoomView]:
    """`match` is the duel's latest one."""
    over = match is not None and match.ended_at is not None
    rooms = duel_rooms(duel, context["guest"], over=over)
    if not rooms:
        return []
    visitor = load_visitor(context["request"], context["guest"])
    return [view_room(visitor, room, over) for room in rooms]
