"""Chat rooms on other features' pages: `{% lobby_chat as talk %}` and `{% duel_chat duel as talks %}`."""

from typing import Any

from django import template

from crowdgame.chat.talk import Talk, talk_in_lobby, talks_beside
from crowdgame.duels.models import Duel

register = template.Library()


@register.simple_tag(takes_context=True)
def lobby_chat(context: dict[str, Any]) -> Talk | None:
    return talk_in_lobby(context["request"], context["guest"])


@register.simple_tag(takes_context=True)
def duel_chat(context: dict[str, Any], duel: Duel) -> list[Talk]:
    return talks_beside(context["request"], duel, context["guest"])
