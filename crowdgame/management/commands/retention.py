"""`manage.py retention`: anonymize past events, purge old chat messages, and delete abandoned duels."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from crowdgame.maintenance.retention import (
    RemovedRows,
    anonymize_events,
    count_removable,
    events_to_anonymize,
)
from crowdgame.play.chat.retention import chat_to_purge, purge_chat
from crowdgame.play.duels.cleanup import abandoned_games, clean_up_duels, stale_guests


class Command(BaseCommand):
    help = "Anonymize votes of inactive events and delete old chat messages. Match records are kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--days",
            type=_days,
            default=settings.RETENTION_DAYS,
            help="days of inactivity (default: RETENTION_DAYS)",
        )
        parser.add_argument("--dry-run", action="store_true", help="show what would be removed")

    def handle(self, *args: Any, **options: Any) -> None:
        days: int = options["days"]
        if options["dry_run"]:
            found = [count_removable(event) for event in events_to_anonymize(days)]
            self._say("would be anonymized", found, days)
        else:
            done = {step.event.pk: step for step in anonymize_events(days)}
            self._say("anonymized", list(done.values()), days)
        self._purge_chat(dry_run=options["dry_run"])
        self._clean_up_duels(dry_run=options["dry_run"])

    def _purge_chat(self, dry_run: bool) -> None:
        days = settings.CHAT_DAYS
        if dry_run:
            rows = sum(found.count() for found in chat_to_purge(days))
        else:
            rows = max(purge_chat(days), default=0)
        what = "would be deleted" if dry_run else "deleted"
        self.stdout.write(
            f"{rows} chat messages, mutes and moderation entries older than {days} days {what}."
        )

    def _clean_up_duels(self, dry_run: bool) -> None:
        days = settings.DUEL_DAYS
        waiting = abandoned_games(days).count() + stale_guests(days).count()
        rows = waiting if dry_run else sum(clean_up_duels(days))
        what = "would be deleted" if dry_run else "deleted"
        self.stdout.write(f"{rows} games and guests inactive for {days} days {what}.")

    def _say(self, what: str, events: list[RemovedRows], days: int) -> None:
        for event in events:
            self.stdout.write(f"{what}: {event}")
        self.stdout.write(f"{len(events)} events inactive for {days} days {what}.")


def _days(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
