"""Rated games per second: `python -m tests.load.bench_ratings [GAMES]`.

For comparison it alternates with the library's bare loop over the same results. Seconds are CPU seconds.
"""

import gc
import os
import sys
import tempfile
from random import Random
from statistics import median
from time import process_time
from typing import Any

import django
from django.core.management import call_command

HOME = tempfile.TemporaryDirectory()
os.environ |= {"DJANGO_SETTINGS_MODULE": "crowdgame.settings", "CROWDGAME_DATA": HOME.name}
os.environ |= {"SECRET_KEY": "only-here", "DATABASE_URL": ""}
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from openskill.models import BradleyTerryFull  # noqa: E402

from crowdgame.accounts.models import Guest  # noqa: E402
from crowdgame.duels.duels import DEFAULT_GAME  # noqa: E402
from crowdgame.duels.models import Duel  # noqa: E402
from crowdgame.ratings.management.commands.rate import GC_THRESHOLD  # noqa: E402
from crowdgame.ratings.rebuild import compute_ratings, rebuild  # noqa: E402
from voting.matches import TERMS  # noqa: E402
from voting.models import Event, Match, Team, Turn  # noqa: E402

GUESTS = 2_000
ROUNDS = 5
AT_ONCE = 1_000
RESULTS = ("red", "yellow", "yellow", "red", "draw")


def create_duels(games: int) -> None:
    """Create this many finished duels between guests, with two turns each."""
    rng = Random(1)
    owner = User.objects.create(username="duel owner")
    guests = Guest.objects.bulk_create([Guest(number=number) for number in range(GUESTS)])
    named = [Event(owner=owner, code=f"{number:07}", name="duel") for number in range(games)]
    events = Event.objects.bulk_create(named, AT_ONCE)
    teams = Team.objects.bulk_create(
        [Team(event=event, number=number, name="one") for event in events for number in (1, 2)], AT_ONCE
    )
    duels = (Duel(event=event, one=one, two=two) for event in events for one, two in (rng.sample(guests, 2),))
    Duel.objects.bulk_create(duels, AT_ONCE)
    terms: dict[str, Any] = {name: getattr(events[0], name) for name in TERMS} | {
        "state": "ended",
        "ended_by": "board",
    }
    matches = Match.objects.bulk_create(
        [
            Match(
                **terms,
                event=event,
                number=1,
                red=teams[2 * at],
                yellow=teams[2 * at + 1],
                result=rng.choice(RESULTS),
                started_at=at,
                ended_at=at + 1,
            )
            for at, event in enumerate(events)
        ],
        AT_ONCE,
    )
    resolved: dict[str, Any] = {
        "opens_at": 0,
        "closes_at": 1,
        "resolved_at": 1,
        "state": "resolved",
        "seed": "",
    }
    turns = (Turn(match=match, number=number, **resolved) for match in matches for number in (1, 2))
    Turn.objects.bulk_create(turns, AT_ONCE)


def bare(games: int) -> float:
    """The library's own rating objects in a list, and its `rate` called for each game."""
    rng = Random(1)
    model = BradleyTerryFull()
    skills = [model.rating() for _ in range(GUESTS)]
    played = [(rng.sample(range(GUESTS), 2), rng.choice(RESULTS)) for _ in range(games)]
    began = process_time()
    for (first, second), result in played:
        teams = [[skills[first]], [skills[second]]]
        [[skills[first]], [skills[second]]] = model.rate(teams, [1.0, 1.0] if result == "draw" else None)
    return games / (process_time() - began)


def ours(games: int) -> float:
    """Read from the database, rate, and compare with the stored ratings."""
    began = process_time()
    assert rebuild(DEFAULT_GAME).matches == games
    return games / (process_time() - began)


def compute_only(games: int) -> float:
    """Read and rate, without comparing or writing."""
    began = process_time()
    assert compute_ratings(DEFAULT_GAME)[2] == games
    return games / (process_time() - began)


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    gc.set_threshold(GC_THRESHOLD)
    call_command("migrate", verbosity=0)
    create_duels(games)
    sys.stdout.write(f"first run, writing all ratings: {ours(games):,.0f} games/s\n")
    kinds = {"the library's bare loop": bare, "read and rated": compute_only, "the whole command": ours}
    rounds = [{name: kind(games) for name, kind in kinds.items()} for _ in range(ROUNDS)]
    for name in kinds:
        ratio = median(rates[name] / rates["the library's bare loop"] for rates in rounds)
        sys.stdout.write(
            f"{name}: {median(rates[name] for rates in rounds):,.0f} games/s, {ratio:.2f} of the library\n"
        )


if __name__ == "__main__":
    main()
