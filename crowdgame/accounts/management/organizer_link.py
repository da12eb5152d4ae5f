"""What the commands share that print a link for an organizer."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser


class OrganizerLinkCommand(BaseCommand):
    def link_path(self, user: User) -> str:
        """The path of the link that is printed for `user`."""
        raise NotImplementedError

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the organizer's username")
        parser.add_argument("--base-url", default=settings.PUBLIC_URL, help="default: PUBLIC_URL")

    def handle(self, *args: Any, **options: Any) -> None:
        base = options["base_url"].rstrip("/")
        if not base:
            raise CommandError("Set PUBLIC_URL or pass --base-url.")
        user = User.objects.filter(username=options["name"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active organizer named {options['name']}.")
        self.stdout.write(f"{base}{self.link_path(user)}")
