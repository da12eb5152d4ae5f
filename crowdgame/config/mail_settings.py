"""SMTP settings, parsed from EMAIL_URL."""

from urllib.parse import unquote

from django.core.exceptions import ImproperlyConfigured

from crowdgame.config.addresses import split_url

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
