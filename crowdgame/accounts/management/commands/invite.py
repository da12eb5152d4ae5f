"""`manage.py invite NAME`: a link with which a person creates an organizer's account."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from crowdgame.accounts.invitation_views import invitation_path
from crowdgame.accounts.invitations import VALID_FOR, create_invitation
from crowdgame.server.config.base_url import add_base_url, read_base_url
from crowdgame.server.config.email_addresses import validate_address


class Command(BaseCommand):
    help = f"Print an invitation link. It works once and expires after {VALID_FOR.days} days."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the person's name, as administrators see it in the list")
        parser.add_argument("--email", default="", help="counts as confirmed if the person uses it")
        add_base_url(parser)
        parser.add_argument(
            "--administrator", action="store_true", help="the person may also invite and manage organizers"
        )
        parser.add_argument(
            "--first", action="store_true", help="print nothing if there is an administrator already"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        base = read_base_url(options)
        if settings.SIGNUP == "closed":
            raise CommandError("Nobody can sign up: SIGNUP is closed.")
        if options["first"] and User.objects.filter(is_superuser=True, is_active=True).exists():
            return
        if options["email"]:
            try:
                validate_address(options["email"])
            except ValidationError as error:
                raise CommandError(error.messages[0]) from None
        token = create_invitation(
            options["name"], email=options["email"], administrator=options["administrator"]
        )
        self.stdout.write(f"{base}{invitation_path(token)}")
