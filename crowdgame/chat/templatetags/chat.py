"""Template tags for chat rooms on other pages.

`{% lobby_chat as talk %}` and `{% duel_chat duel as talks %}`.
"""

from typing import Any

from django import template

from crowdgame.chat.chat_room_view import RoomView, view_room
from crowdgame.chat.models import RoomKind
from crowdgame.chat.rooms import duel_rooms, find_room
from crowdgame.duels.models import Duel

register = template.Library()


@register.simple_tag(takes_context=True)
def lobby_chat(context: dict[str, Any]) -> RoomView | None:
    room = find_room(RoomKind.LOBBY)
    return view_room(context["request"], room, context["guest"]) if room else None


@register.simple_tag(takes_context=True)
def duel_chat(context: dict[str, Any], duel: Duel) -> list[RoomView]:
    request, guest = context["request"], context["guest"]
    return [view_room(request, room, guest) for room in duel_rooms(duel, guest)]
