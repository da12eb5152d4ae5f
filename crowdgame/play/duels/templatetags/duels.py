"""`{% games_to_transfer guest as count %}`: how many games move along when a guest logs in to an account."""

from django import template

from crowdgame.accounts.models import Guest
from crowdgame.play.duels import guests

register = template.Library()


@register.simple_tag
def games_to_transfer(guest: Guest | None) -> int:
    return guests.games_to_transfer(guest).count() if guest and not guest.has_account else 0
