"""`manage.py rate`: recompute the ratings of duels from their matches, or check them."""

import gc
import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from crowdgame.play.ratings.rebuild import RebuildResult, list_rated_games, rebuild

GC_THRESHOLD = 100_000  # rows live to the end: with the default, the collector takes half of the time


class Command(BaseCommand):
    help = (
        "Recompute the ratings of one-on-one games from their matches, in the order in which they ended. "
        "The result is identical to the stored ratings. Games that end in the meantime wait to be rated."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="write nothing; exit with status 1 if the ratings differ"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        gc.set_threshold(GC_THRESHOLD)
        check: bool = options["check"]
        differs = [self._rate(game, check).differs for game in list_rated_games()]
        if not differs:
            self.stdout.write("No one-on-one games to rate yet.")
        if check and any(differs):
            sys.exit(1)

    def _rate(self, game: str, check: bool) -> RebuildResult:
        began = time.perf_counter()
        done = rebuild(
            game, write=not check, on_progress=lambda count: self.stderr.write(f"{game}: {count:,} …")
        )
        took = time.perf_counter() - began
        outcome = "unchanged" if not done.differs else "different" if check else "corrected"
        self.stdout.write(
            f"{game}: {done.rated:,} of {done.matches:,} games of {done.players:,} guests rated "
            f"in {took:.1f} s ({done.matches / took:,.0f} games/s): {outcome}"
        )
        return done
