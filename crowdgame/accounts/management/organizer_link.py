"""What the commands share that print a link for somebody's account."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from crowdgame.accounts.accounts import find_username


class OrganizerLinkCommand(BaseCommand):
    """Prints a link. `link_path` returns its path for a user."""

    link_path: Callable[[User], str]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the username, or the name of a guest")
        parser.add_argument("--base-url", default=settings.PUBLIC_URL, help="default: PUBLIC_URL")

    def handle(self, *args: Any, **options: Any) -> None:
        base = options["base_url"].rstrip("/")
        if not base:
            raise CommandError("Set PUBLIC_URL or pass --base-url.")
        user = User.objects.filter(username=find_username(options["name"]), is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active account named {options['name']}.")
        self.stdout.write(f"{base}{self.link_path(user)}")
