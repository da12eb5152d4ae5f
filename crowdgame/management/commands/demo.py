"""`manage.py demo`: run or stop the demo event, and print its addresses.

While the demo event runs, its matches start automatically (`next_match_after_s`). Both need a demo organizer,
who is created if missing.
"""

import json
from contextlib import closing, suppress
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from crowdgame.accounts.login_links import login_link_path
from crowdgame.organizer.console.actions.matches import abort_playing_match
from crowdgame.server.config.base_url import add_base_url, read_base_url
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.matches import MatchError
from voting.models import Event
from voting.terms import Lobby, MatchState

ORGANIZER = "demo"
EVENT_NAME, TEAM_NAMES = "Event night", ("North Hall", "South Hall")
STARTS_IN_MS, NEXT_MATCH_AFTER_S = 5_000, 10


class Command(BaseCommand):
    help = "Create the demo event if it does not exist. Print its addresses and a one-time login link."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one line of JSON")
        add_base_url(parser)
        parser.add_argument("--stop", action="store_true", help="stop the demo event; do not create it")
        parser.add_argument("--fresh-login", action="store_true", help="invalidate earlier login links")

    def handle(self, *args: Any, **options: Any) -> None:
        base = read_base_url(options)
        organizer = find_organizer(fresh=options["fresh_login"])
        with closing(BallotBox()) as box:
            event = None if options["stop"] else find_event(organizer)
            if event:
                start_soon(event, box)
            else:
                stop_matches(organizer, box)
        details = addresses(base, event, organizer)
        if options["json"]:
            self.stdout.write(json.dumps(details))
        else:
            for name, value in details.items():
                self.stdout.write(f"{name.removesuffix('_url'):<8} {value}")


def find_organizer(*, fresh: bool) -> User:
    """Return the demo organizer, who can log in by link only. `fresh` invalidates earlier login links."""
    user, made = User.objects.get_or_create(username=ORGANIZER)
    if made:
        user.set_unusable_password()
    if fresh:
        user.last_login = timezone.now()
    user.is_staff = user.is_superuser = False  # earlier versions made an administrator
    user.save(update_fields=["password", "last_login", "is_staff", "is_superuser"])
    return user


def find_event(organizer: User) -> Event:
    """Return the demo event, or create it with an open lobby. Events that the organizer made are no demo."""
    return organizer.events.filter(name=EVENT_NAME).order_by("pk").first() or create_event(
        organizer,
        EVENT_NAME,
        TEAM_NAMES,
        window_s=12,
        close_early=False,
        next_match_after_s=NEXT_MATCH_AFTER_S,
        lobby=Lobby.OPEN,
    )


def start_soon(event: Event, box: BallotBox) -> None:
    """Schedule a match in STARTS_IN_MS, unless one is live or scheduled already."""
    Event.objects.filter(pk=event.pk, next_match_after_s=None).update(next_match_after_s=NEXT_MATCH_AFTER_S)
    idle = Event.objects.filter(pk=event.pk, next_match_at=None)
    if event.matches.filter(state=MatchState.PLAYING).exists():
        return
    if idle.update(next_match_at=box.now() + STARTS_IN_MS):
        announce_edit(event.pk, box.now())


def stop_matches(organizer: User, box: BallotBox) -> None:
    """Abort the demo event's match and start no other one.

    Does nothing if the demo event is stopped already: then its match was started by an organizer.
    """
    for event in organizer.events.filter(name=EVENT_NAME, next_match_after_s__isnull=False):
        Event.objects.filter(pk=event.pk).update(next_match_after_s=None, next_match_at=None)
        announce_edit(event.pk, box.now())
        with suppress(MatchError):  # no match is live
            abort_playing_match(event.pk, box)


def addresses(base: str, event: Event | None, organizer: User) -> dict[str, str]:
    """Return absolute URLs, and the event's code if there is one. `login_url` works once."""
    if event is None:
        return {
            "login_url": base + login_link_path(organizer),
            "phone_url": f"{base}/",
            "console_url": f"{base}/console/",
        }
    return {
        "code": event.code,
        "login_url": base + login_link_path(organizer, event.code),
        "display_url": f"{base}/display/{event.code}",
        "phone_url": f"{base}/{event.code}",
        "console_url": f"{base}/console/{event.code}/",
    }
