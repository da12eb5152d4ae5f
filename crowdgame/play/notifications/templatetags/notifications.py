"""`{% address_settings %}`: the e-mail address form. `{% device_settings %}`: a device's push switch."""

from typing import Any

from django import template
from django.conf import settings

from crowdgame.play.notifications.forms import AddressForm
from crowdgame.play.notifications.models import EmailAddress
from crowdgame.play.notifications.vapid import public_key

register = template.Library()


@register.inclusion_tag("notifications/address.html", takes_context=True)
def address_settings(context: dict[str, Any]) -> dict[str, Any]:
    """Use the context's `add_address` if that form was submitted with errors, else an empty form."""
    return {
        "mail": settings.EMAIL_ENABLED,
        "address": EmailAddress.objects.filter(guest=context["guest"]).first(),
        "add_address": context.get("add_address") or AddressForm(),
        "csrf_token": context.get("csrf_token"),
    }


@register.inclusion_tag("notifications/device.html", takes_context=True)
def device_settings(context: dict[str, Any]) -> dict[str, Any]:
    """Of a voter, if the context has an `event`, or else of the guest."""
    return {
        "push_key": settings.PUSH_ENABLED and public_key(),
        "event": context.get("event"),
        "csrf_token": context.get("csrf_token"),
    }
