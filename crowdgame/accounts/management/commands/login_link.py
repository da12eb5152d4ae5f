"""`manage.py login_link NAME`: a login link for an organizer who forgot the password or is locked out."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from crowdgame.accounts.login_links import login_link_path


class Command(BaseCommand):
    help = "Prints an address that logs an organizer in: once, and within two hours."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the organizer's user name")
        parser.add_argument("--base-url", default=settings.PUBLIC_URL, help="default: PUBLIC_URL")

    def handle(self, *args: Any, **options: Any) -> None:
        base = options["base_url"].rstrip("/")
        if not base:
            raise CommandError("set PUBLIC_URL or give --base-url")
        user = User.objects.filter(username=options["name"], is_active=True).first()
        if user is None:
            raise CommandError(f"there is no active organizer {options['name']}")
        self.stdout.write(f"{base}{login_link_path(user)}")
