"""Someone at a stack's own database: `python -m tests.organizer` answers questions, a JSON line each.

A process of its own with the stack's environment, so that no test's ORM comes near that database.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.test import Client  # noqa: E402

from games.matches import create_event, live_turn  # noqa: E402
from games.models import Event, Match  # noqa: E402
from tests.voting.playing import only_turn, open_now, organizer, play, set_window  # noqa: E402
from voting.ballot_box import BallotBox  # noqa: E402
from voting.turns import start_match  # noqa: E402

box = BallotBox()


def event(owner: str = "olga", **choices: Any) -> dict[str, Any]:
    made = create_event(organizer(owner), "An evening", ("Rooks", "Doves"), **choices)
    return {"id": made.pk, "code": made.code}


def session(name: str, superuser: bool = False) -> str:
    """The session cookie of someone who has just logged in."""
    user, _ = User.objects.get_or_create(username=name, defaults={"is_superuser": superuser})
    client = Client()
    client.force_login(user)
    return f"sessionid={client.cookies['sessionid'].value}"


def _playing(event_id: int) -> Match:
    playing = Match.objects.filter(event_id=event_id, state="playing").first()
    return playing or start_match(event_id, box)


def play_to(event_id: int, picks: list[tuple[int, int]]) -> int:
    """Play these turns in no time, then open the next at once; its id, 0 if the match is over."""
    match = _playing(event_id)
    play(match, box, picks)
    if live_turn(match) is None:
        return 0
    turn = only_turn(match)
    open_now(turn, box)
    return turn.pk


def closing_in(event_id: int, ms: int) -> int:
    turn = only_turn(_playing(event_id))
    set_window(turn, box, -1_000, ms)
    return turn.pk


def open_at_once(event_id: int) -> None:
    open_now(only_turn(_playing(event_id)), box)


def begin(event_id: int) -> None:
    _playing(event_id)


def give_away(event_id: int, to: str) -> None:
    Event.objects.filter(pk=event_id).update(owner=organizer(to))


ANSWERED = (event, session, play_to, closing_in, open_at_once, begin, give_away)
QUESTIONS: dict[str, Callable[..., Any]] = {question.__name__: question for question in ANSWERED}

if __name__ == "__main__":
    for line in sys.stdin:
        name, arguments = json.loads(line)
        print(json.dumps(QUESTIONS[name](**arguments)), flush=True)
