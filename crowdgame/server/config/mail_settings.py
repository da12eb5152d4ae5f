"""SMTP settings, parsed from EMAIL_URL."""

from email.utils import parseaddr
from urllib.parse import unquote

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.mail.message import sanitize_address

from crowdgame.server.config.addresses import split_url
from crowdgame.server.config.email_addresses import validate_address

# Scheme: (default port, STARTTLS, TLS from the start).
MAIL_SCHEMES = {"smtp": (587, True, False), "smtps": (465, False, True), "smtp+plain": (25, False, False)}

MailServer = tuple[str, int, str, str, bool, bool]


def mail_server(url: str) -> MailServer:
    """Return host, port, user, password, STARTTLS and TLS.

    Raises ImproperlyConfigured for an unknown scheme or a missing host. The message doesn't contain the URL,
    which includes the password.
    """
    if not url:
        return "localhost", 25, "", "", False, False
    parts = split_url(url)
    if parts is None or parts.scheme not in MAIL_SCHEMES or not parts.hostname:
        raise ImproperlyConfigured(
            "EMAIL_URL must be smtp://USER:PASSWORD@HOST:PORT, smtps://… or smtp+plain://…. "
            "In a user or password, write characters such as # / @ as %23 %2F %40."
        )
    port, starts, encrypted = MAIL_SCHEMES[parts.scheme]
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return parts.hostname, parts.port or port, user, password, starts, encrypted


def sender(value: str, host: str) -> str:
    """Return MAIL_FROM, or an address at `host` if it is not set."""
    if not value.strip():
        return f"crowdgame@{host}"
    try:
        validate_address(parseaddr(value)[1])
        sanitize_address(value.strip(), "utf-8")
    except (ValidationError, ValueError):
        raise ImproperlyConfigured(
            "MAIL_FROM must be an address such as quiz@play.example.org, or Quiz <quiz@play.example.org>. "
            f"It is {value!r}."
        ) from None
    return value.strip()
