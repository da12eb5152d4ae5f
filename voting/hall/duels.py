"""A duel: an event whose two teams have one guest each. Everything else of it is an event's.

A seat is a pupil's code on the event's class list: it lets its guest in on every device, and always as the
same voter.
"""

import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from games.matches import MatchError, changing, create_event
from games.models import Admission, Duel, Event, Guest, Lobby, Match, MatchState, NoBallotRule
from voting.box.ballot_box import BallotBox
from voting.entry.roster import Pupil
from voting.entry.tickets import make_roster
from voting.hall.paces import USUAL, Pace
from voting.match.turns import start_due_match
from voting.models import Ticket

KEEPER = "the hall"  # whose events these are, and nobody can log in as
FREE = "Open seat"
WAITS = "It begins as soon as somebody joins. To invite:"
MOST_GAMES = 20
MOST_WAITING = 1_000  # of those begun within an hour
SEATS = {1: "one", 2: "two"}
USUAL_GAME = "simultaneous-captains-mistress"


class HallError(MatchError):
    """What cannot be done in the hall now; the message is fit to be shown."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The game somebody wants to play. `mercy`: who runs out of time plays a random column."""

    game: str = USUAL_GAME
    options: dict[str, Any] = field(default_factory=dict)
    pace: Pace = USUAL
    listed: bool = True
    mercy: bool = False


def new_duel(guest: Guest, wish: Wish) -> Duel:
    """A game with one seat free; who begins it sits on either side. Raises HallError."""
    check_games(guest)
    place = secrets.choice((1, 2))
    names = (str(guest), FREE) if place == 1 else (FREE, str(guest))
    with transaction.atomic():
        event = create_event(_keeper(), f"The game of {guest}", names, **_choices(wish))
        Event.objects.filter(pk=event.pk).update(notice=f"{WAITS} /hall/{event.code}")
        make_roster(event, [Pupil(name, team) for team, name in enumerate(names, 1)])
        seats: dict[str, Any] = {SEATS[place]: guest}
        return Duel.objects.create(event=event, listed=wish.listed, **seats)


def _choices(wish: Wish) -> dict[str, Any]:
    pace = wish.pace
    return {
        "game": wish.game,
        "options": wish.options,
        "lobby": Lobby.OPEN,
        "admission": Admission.ROSTER,
        "hide_code": True,
        "close_early": True,
        "reveal_s": pace.reveal_s,
        "window_s": pace.bank_s,
        "bank_s": pace.bank_s,
        "increment_s": pace.increment_s,
        "no_ballot_rule": NoBallotRule.RANDOM if wish.mercy else NoBallotRule.FORFEIT,
    }


def _keeper() -> User:
    defaults = {"is_active": False, "password": make_password(None)}
    return User.objects.get_or_create(username=KEEPER, defaults=defaults)[0]


def join_duel(code: str, guest: Guest, box: BallotBox) -> Duel:
    """Take the free seat; the match begins. Who is in already, stays. Of several that try, one gets it.

    The match is planned in the same transaction: if whoever planned it dies, the clock starts it.
    """
    duel = find_duel(code)
    if place_of(duel, guest):
        return duel
    check_games(guest)
    with changing(duel.event_id) as event:
        duel.refresh_from_db()
        free = place_of(duel, None)
        if not free:
            raise HallError("Somebody else was faster: both seats are taken.")
        Duel.objects.filter(pk=duel.pk).update(**{SEATS[free]: guest})
        event.teams.filter(number=free).update(name=str(guest))
        event.tickets.filter(team=free).update(label=str(guest))
        name = " against ".join(event.teams.order_by("number").values_list("name", flat=True))
        Event.objects.filter(pk=event.pk).update(name=name, notice="", next_match_at=box.now())
    start_due_match(duel.event_id, box)
    return find_duel(code)


def check_games(guest: Guest) -> None:
    """Whether somebody may begin or join one more. Raises HallError."""
    if games_on(guest).count() >= MOST_GAMES:
        raise HallError(f"You have {MOST_GAMES} games that are not over: finish one first.")


def check_room() -> None:
    """Whether the hall takes one more game that waits: guests cost nothing, rows do. Raises HallError."""
    since = timezone.now() - timedelta(hours=1)
    waiting = Duel.objects.filter(Q(one=None) | Q(two=None), event__created_at__gte=since)
    if waiting.count() >= MOST_WAITING:
        raise HallError("The hall is full just now: join a game that waits, or come back in a while.")


def find_duel(code: str) -> Duel:
    """Raises Duel.DoesNotExist."""
    return Duel.objects.select_related("event", "one", "two").get(event__code=code.upper())


def place_of(duel: Duel, guest: Guest | None) -> int:
    """The team of this guest, or of the free seat; 0 if there is none."""
    pk = guest.pk if guest else None
    return next((place for place, seat in SEATS.items() if getattr(duel, f"{seat}_id") == pk), 0)


def games_on(guest: Guest) -> QuerySet[Duel]:
    """Theirs that are not over, the newest first."""
    matches = Match.objects.filter(event=OuterRef("event"))
    on = Exists(matches.filter(state=MatchState.PLAYING)) | ~Exists(matches)
    return Duel.objects.filter(on, Q(one=guest) | Q(two=guest)).order_by("-pk")


def key_of(duel: Duel, guest: Guest) -> str:
    """What lets this guest in at the door; empty for somebody else."""
    place = place_of(duel, guest)
    codes = Ticket.objects.filter(event_id=duel.event_id, team=place).values_list("code", flat=True)
    return codes.first() or "" if place else ""
