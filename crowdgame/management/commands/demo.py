"""`manage.py demo`: create a demo organizer, event and match if there are none, and print their addresses."""

import json
from contextlib import closing
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from crowdgame.accounts.login_links import login_link_path
from games.matches import create_event
from games.models import Event, Lobby, MatchState
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox

ORGANIZER = "demo"
EVENT_NAME, TEAM_NAMES = "Event night", ("North Hall", "South Hall")
STARTS_IN_MS = 5_000


class Command(BaseCommand):
    help = "Create the demo event if it does not exist. Print its URLs and a one-time login link."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one line of JSON")
        parser.add_argument("--base-url", default=settings.PUBLIC_URL, help="default: PUBLIC_URL")
        parser.add_argument("--fresh-login", action="store_true", help="invalidate earlier login links")

    def handle(self, *args: Any, **options: Any) -> None:
        base = options["base_url"].rstrip("/")
        if not base:
            raise CommandError("Set PUBLIC_URL or pass --base-url.")
        organizer = find_organizer(fresh=options["fresh_login"])
        event = find_event(organizer)
        with closing(BallotBox()) as box:
            start_soon(event, box)
        details = addresses(base, event, organizer)
        if options["json"]:
            self.stdout.write(json.dumps(details))
        else:
            for name, value in details.items():
                self.stdout.write(f"{name.removesuffix('_url'):<8} {value}")


def find_organizer(*, fresh: bool) -> User:
    """Return the demo superuser, who can log in by link only. `fresh` invalidates earlier login links."""
    user, made = User.objects.get_or_create(
        username=ORGANIZER, defaults={"is_staff": True, "is_superuser": True}
    )
    if made:
        user.set_unusable_password()
    if fresh:
        user.last_login = timezone.now()
    user.save(update_fields=["password", "last_login"])
    return user


def find_event(organizer: User) -> Event:
    """Return the organizer's first event, or create the demo event with an open lobby."""
    return organizer.events.order_by("pk").first() or create_event(
        organizer,
        EVENT_NAME,
        TEAM_NAMES,
        window_s=12,
        reveal_s=6,
        close_early=False,
        next_match_after_s=10,
        lobby=Lobby.OPEN,
    )


def start_soon(event: Event, box: BallotBox) -> None:
    """Schedule a match in STARTS_IN_MS, unless one is live or scheduled already."""
    idle = Event.objects.filter(pk=event.pk, next_match_at=None)
    if event.matches.filter(state=MatchState.PLAYING).exists():
        return
    if idle.update(next_match_at=box.now() + STARTS_IN_MS):
        announce_edit(event.pk, box.now())


def addresses(base: str, event: Event, organizer: User) -> dict[str, str]:
    """Return the event's code and absolute URLs. `login_url` works once."""
    return {
        "code": event.code,
        "login_url": base + login_link_path(organizer, event.code),
        "display_url": f"{base}/display/{event.code}",
        "phone_url": f"{base}/{event.code}",
        "console_url": f"{base}/console/{event.code}/",
    }
