"""`{% address_settings %}`: a guest's address for notifications, on the page of the account."""

from typing import Any

from django import template
from django.conf import settings

from crowdgame.notifications.forms import AddressForm
from crowdgame.notifications.models import Address

register = template.Library()


@register.inclusion_tag("notifications/address.html", takes_context=True)
def address_settings(context: dict[str, Any]) -> dict[str, Any]:
    """The form `give` of the context, if it was filled in wrongly, else an empty one."""
    return {
        "mail": settings.MAIL,
        "address": Address.objects.filter(guest=context["guest"]).first(),
        "give": context.get("give") or AddressForm(),
        "csrf_token": context.get("csrf_token"),
    }
