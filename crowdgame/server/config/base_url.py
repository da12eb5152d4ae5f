"""The option `--base-url` of commands that print links."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from crowdgame.server.config.addresses import public_origin


def add_base_url(parser: CommandParser) -> None:
    parser.add_argument("--base-url", default=settings.PUBLIC_URL, help="default: PUBLIC_URL")


def read_base_url(options: dict[str, Any]) -> str:
    """Return the scheme and host for links. Raises CommandError or ImproperlyConfigured."""
    base = public_origin(options["base_url"], "--base-url")
    if not base:
        raise CommandError("Set PUBLIC_URL or pass --base-url.")
    return base
