"""Validation of e-mail addresses: only those to which an e-mail can be sent."""

from django.core.exceptions import ValidationError
from django.core.mail.message import sanitize_address
from django.core.validators import validate_email
from django.utils.translation import gettext_lazy as _


def validate_address(address: str) -> None:
    """Raise ValidationError if the address is malformed, or if an e-mail's header can't hold it unchanged."""
    try:
        validate_email(address)
        sent_to = sanitize_address(address, "utf-8")
    except (ValidationError, ValueError):
        sent_to = ""
    if not sent_to or _mailbox(sent_to) != _mailbox(address):
        raise ValidationError(_("Enter a valid e-mail address."), code="invalid")


def _mailbox(address: str) -> str:
    """Return what is before the domain. The domain may be written in other letters."""
    return address.rpartition("@")[0]
