"""What the commands share that print a link for somebody's account."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from crowdgame.accounts.accounts import find_username
from crowdgame.server.config.base_url import add_base_url, read_base_url


class OrganizerLinkCommand(BaseCommand):
    """Prints a link. `link_path` returns its path for a user."""

    link_path: Callable[[User], str]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the username, or the name of a guest")
        add_base_url(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        base = read_base_url(options)
        user = User.objects.filter(username=find_username(options["name"]), is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active account named {options['name']}.")
        self.stdout.write(f"{base}{self.link_path(user)}")
