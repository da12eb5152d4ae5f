"""Template tags for chat rooms on other pages.

`{% lobby_chat as talk %}` and `{% duel_chat duel as talks %}`.
"""

from typing import Any

from django import template

from crowdgame.chat.chat_room_view import RoomView, talk_in_lobby, view_duel_rooms
from crowdgame.duels.models import Duel

register = template.Library()


@register.simple_tag(takes_context=True)
def lobby_chat(context: dict[str, Any]) -> RoomView | None:
    return talk_in_lobby(context["request"], context["guest"])


@register.simple_tag(takes_context=True)
def duel_chat(context: dict[str, Any], duel: Duel) -> list[RoomView]:
    return view_duel_rooms(context["request"], duel, context["guest"])
