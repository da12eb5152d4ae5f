"""`manage.py reset_link NAME`: a link with which an organizer chooses a new password, without e-mail."""

from typing import Any

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse


class Command(BaseCommand):
    help = "Print a link with which an organizer chooses a new password. It works once."

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
        uid, key = user_pk_to_url_str(user), default_token_generator.make_token(user)
        self.stdout.write(f"{base}{reverse('account_reset_password_from_key', args=[uid, key])}")
