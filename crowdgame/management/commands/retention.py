"""`manage.py retention`: anonymize past events, purge old chat messages, and delete abandoned duels."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from crowdgame.chat.retention import chat_to_purge, purge_chat
from crowdgame.duels.cleanup import abandoned_games, clean_up_duels, stale_guests
from crowdgame.operations.retention import RemovedRows, anonymize_events, count_removable, events_to_anonymize


class Command(BaseCommand):
    help = "Forgets who voted for what in events at rest for so many days, and old talk; records stay."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--days", type=_days, default=settings.RETENTION_DAYS, help="if not RETENTION_DAYS"
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would be forgotten")

    def handle(self, *args: Any, **options: Any) -> None:
        days: int = options["days"]
        if options["dry_run"]:
            found = [count_removable(event) for event in events_to_anonymize(days)]
            self._say("would be forgotten", found, days)
        else:
            done = {step.event.pk: step for step in anonymize_events(days)}
            self._say("forgotten", list(done.values()), days)
        self._purge_chat(dry_run=options["dry_run"])
        self._clean_up_duels(dry_run=options["dry_run"])

    def _purge_chat(self, dry_run: bool) -> None:
        days = settings.CHAT_DAYS
        if dry_run:
            rows = sum(found.count() for found in chat_to_purge(days))
        else:
            rows = max(purge_chat(days), default=0)
        what = "would be forgotten" if dry_run else "forgotten"
        self.stdout.write(f"{rows} rows of what guests said over {days} days ago {what}.")

    def _clean_up_duels(self, dry_run: bool) -> None:
        days = settings.DUEL_DAYS
        waiting = abandoned_games(days).count() + stale_guests(days).count()
        rows = waiting if dry_run else sum(clean_up_duels(days))
        what = "would go" if dry_run else "are gone"
        self.stdout.write(f"{rows} games and guests of whom the hall saw nothing for {days} days {what}.")

    def _say(self, what: str, events: list[RemovedRows], days: int) -> None:
        for event in events:
            self.stdout.write(f"{what}: {event}")
        self.stdout.write(f"{len(events)} events at rest for {days} days; {what} in all of them.")


def _days(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
