"""`{% address_settings %}`: a guest's address for notifications, on the page of the account."""

from typing import Any

from django import template
from django.conf import settings

from crowdgame.notifications.forms import AddressForm
from crowdgame.notifications.models import EmailAddress

register = template.Library()


@register.inclusion_tag("notifications/address.html", takes_context=True)
def address_settings(context: dict[str, Any]) -> dict[str, Any]:
    """The form `add_address` of the context, if it was filled in wrongly, else an empty one."""
    return {
        "mail": settings.EMAIL_ENABLED,
        "address": EmailAddress.objects.filter(guest=context["guest"]).first(),
        "add_address": context.get("add_address") or AddressForm(),
        "csrf_token": context.get("csrf_token"),
    }
