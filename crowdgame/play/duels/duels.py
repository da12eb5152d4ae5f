"""Duels: one-on-one games. A duel is an event whose two teams have one guest each.

A seat is a roster code of the event. It admits its guest on every device, always as the same voter. Against a
crowd there is one such seat; everybody else who joins is in the other team.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override, pgettext

from crowdgame.accounts.models import Guest
from crowdgame.events.event_texts import computer_name
from crowdgame.events.presets import default_event_name
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.time_controls import DEFAULT_TIME_CONTROL, TimeControl
from voting.admission.roster import Pupil
from voting.admission.tickets import make_roster
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event, draw_code, generate_code
from voting.matches import MatchError, locked_event
from voting.models import LIVE_STATES, Event, Match, Turn
from voting.terms import BOT, Admission, Lobby, MatchState, NoBallotRule
from voting.turns.turns import start_due_match

SYSTEM_USERNAME = "duel owner"  # owns the events of all duels; login is disabled
MAX_ACTIVE_GAMES = 20
CODE_LENGTHS = (6, 8)  # duels are joined from a list, and leave the short codes to events
SEAT_FIELDS = {1: "one", 2: "two"}
DEFAULT_GAME = "simultaneous-captains-mistress"


class PlayError(MatchError):
    """A refused operation on a duel. The message is fit to be shown."""


@dataclass(frozen=True, slots=True)
class DuelSettings:
    """Settings of a new duel. With `random_on_timeout`, a player who runs out of time plays a random column.

    With `crowd`, the opponent is everybody who joins; `bot` is the strength of a computer opponent. An
    unlisted duel is joined by its link alone. A `casual` one is not rated, and its players can agree to take
    turns back.
    """

    game: str = DEFAULT_GAME
    options: dict[str, Any] = field(default_factory=dict)
    time_control: TimeControl = DEFAULT_TIME_CONTROL
    listed: bool = True
    random_on_timeout: bool = False
    crowd: bool = False
    casual: bool = False
    bot: int | None = None


@contextmanager
def creation_lock() -> Iterator[None]:
    """A transaction in which nobody else creates a duel, so that limits checked in it are not exceeded."""
    owner = _system_user()
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=owner.pk)
        yield


def new_duel(guest: Guest, duel_settings: DuelSettings, network: str = "") -> Duel:
    """Create a duel with one free seat, or for one guest. The side is random. Raises PlayError.

    The code of an unlisted duel can't be guessed. `network` is the creator's, see `creation_limits`.
    """
    check_game_limit(guest)
    number = secrets.choice((1, 2))
    other = opponent_name(duel_settings) or pgettext("team", "Open seat")
    names = (str(guest), other) if number == 1 else (other, str(guest))
    with transaction.atomic():
        event = create_event(
            _system_user(),
            _waiting_name(guest),
            names,
            _duel_code(duel_settings),
            **_event_fields(duel_settings),
        )
        event.teams.filter(number=number).update(solo=duel_settings.crowd)
        if duel_settings.bot:
            event.teams.exclude(number=number).update(source=f"{BOT}:{duel_settings.bot}")
        pupils = [Pupil(name, team) for team, name in enumerate(names, 1)]
        make_roster(
            event, [pupil for pupil in pupils if pupil.team == number or not opponent_name(duel_settings)]
        )
        seats: dict[str, Any] = {SEAT_FIELDS[number]: guest}
        return Duel.objects.create(
            event=event,
            listed=duel_settings.listed,
            crowd=duel_settings.crowd,
            casual=duel_settings.casual,
            bot=duel_settings.bot,
            network=network,
            **seats,
        )


def opponent_name(duel: Duel | DuelSettings) -> str:
    """Return the name of an opponent that is no guest, in the active language; empty for a guest."""
    if duel.bot:
        return computer_name(duel.bot)
    return pgettext("team", "The crowd") if duel.crowd else ""


def _duel_code(duel_settings: DuelSettings) -> str:
    return generate_code(CODE_LENGTHS) if duel_settings.listed else draw_code()


def _event_fields(duel_settings: DuelSettings) -> dict[str, Any]:
    return {
        "game": duel_settings.game,
        "options": duel_settings.options,
        "lobby": Lobby.OPEN,
        "fixed_players": True,
        "close_early": True,
        "pace": duel_settings.time_control.pace,
        **(_crowd_fields(duel_settings) if duel_settings.crowd else _duel_fields(duel_settings)),
    }


def _duel_fields(duel_settings: DuelSettings) -> dict[str, Any]:
    time_control = duel_settings.time_control
    return {
        "admission": Admission.ROSTER,
        "hide_code": True,
        "window_s": time_control.bank_s,
        "bank_s": time_control.bank_s,
        "increment_s": time_control.increment_s,
        "no_ballot_rule": NoBallotRule.RANDOM if duel_settings.random_on_timeout else NoBallotRule.FORFEIT,
    }


def _crowd_fields(duel_settings: DuelSettings) -> dict[str, Any]:
    """Rules against a crowd: a turn without a vote plays a random column, so every game ends."""
    return {"window_s": duel_settings.time_control.window_s, "no_ballot_rule": NoBallotRule.RANDOM}


def _system_user() -> User:
    defaults = {"is_active": False, "password": make_password(None)}
    return User.objects.get_or_create(username=SYSTEM_USERNAME, defaults=defaults)[0]


def join_duel(code: str, guest: Guest, box: BallotBox) -> Duel:
    """Take the free seat and start the match. Idempotent for a guest with a seat.

    Of several concurrent calls, one gets the seat. Raises PlayError for the others and at the guest's game
    limit, Duel.DoesNotExist for an unknown code, RedisError without the ballot box.
    """
    duel = find_duel(code)
    if seat_number(duel, guest):
        return duel
    check_game_limit(guest)
    with locked_event(duel.event_id) as event:
        duel.refresh_from_db()
        if seat_number(duel, guest):
            return duel
        free = seat_number(duel, None)
        if not free:
            raise PlayError(_("Both seats are taken. Choose another game."))
        Duel.objects.filter(pk=duel.pk).update(**{SEAT_FIELDS[free]: guest})
        name_seat(event, free, guest)
        _schedule_match(event, box)
    start_due_match(duel.event_id, box)
    return find_duel(code)


def withdraw_duel(code: str, guest: Guest) -> None:
    """Delete the guest's own game that nobody has joined yet.

    Raises PlayError if it is another guest's or has begun, Duel.DoesNotExist for an unknown code.
    """
    duel = find_duel(code)
    with locked_event(duel.event_id) as event:
        duel.refresh_from_db()
        waits = duel.one is None or duel.two is None
        if not (waits and seat_number(duel, guest)) or event.matches.exists():
            raise PlayError(_("Only the player who created this game can withdraw it, before it starts."))
        event.delete()


def start_for_one(code: str, guest: Guest, box: BallotBox) -> Duel:
    """Start the match against the crowd or the computer. Does nothing if one is playing or scheduled.

    Raises PlayError unless the guest created the duel, Duel.DoesNotExist for an unknown code, RedisError
    without the ballot box.
    """
    duel = find_duel(code)
    with locked_event(duel.event_id) as event:
        if not (duel.is_for_one and seat_number(duel, guest)):
            raise PlayError(_("Only the player who created this game can start it."))
        if event.next_match_at is None and not event.matches.filter(state=MatchState.PLAYING).exists():
            _schedule_match(event, box)
    start_due_match(duel.event_id, box)
    return duel


def _schedule_match(event: Event, box: BallotBox) -> None:
    """Schedule the match in the caller's transaction. If this process dies, the scheduler starts it."""
    name_after_teams(event, next_match_at=box.now())


def name_seat(event: Event, number: int, guest: Guest) -> None:
    """Name a team and its ticket after the guest, in the event's language."""
    with override(event.language):
        name = str(guest)
    event.teams.filter(number=number).update(name=name)
    event.tickets.filter(team=number).update(label=name)


def name_seats(duel: Duel, **changes: Any) -> None:
    """Name both teams and the event after the players, who may have changed their names since.

    Writes the other `changes` of the event, too.
    """
    for number, seat in SEAT_FIELDS.items():
        if guest := getattr(duel, seat):
            name_seat(duel.event, number, guest)
    name_after_teams(duel.event, **changes)


def name_after_teams(event: Event, **changes: Any) -> None:
    """Name the event after its teams, and write the other `changes`."""
    one, other = event.teams.order_by("number").values_list("name", flat=True)
    with override(event.language):
        name = default_event_name((one, other))
    Event.objects.filter(pk=event.pk).update(name=name, **changes)


def name_after_creator(event: Event, guest: Guest) -> None:
    """Name an event whose first match has not started after its creator."""
    with override(event.language):
        name = _waiting_name(guest)
    Event.objects.filter(pk=event.pk).update(name=name)


def _waiting_name(guest: Guest) -> str:
    return _("%(player)s's game") % {"player": guest}


def check_game_limit(guest: Guest) -> None:
    """Raises PlayError if the guest already has MAX_ACTIVE_GAMES unfinished games."""
    if active_games(guest).count() >= MAX_ACTIVE_GAMES:
        refusal = ngettext(
            "You have %(count)s unfinished game. Finish it before you start another.",
            "You have %(count)s unfinished games. Finish one before you start another.",
            MAX_ACTIVE_GAMES,
        )
        raise PlayError(refusal % {"count": MAX_ACTIVE_GAMES})


def find_duel(code: str) -> Duel:
    """Load a duel by its event's code, in any case. Raises Duel.DoesNotExist."""
    return Duel.objects.select_related("event", "one", "two").get(event__code=code.upper())


def seat_number(duel: Duel, guest: Guest | None) -> int:
    """Return the team number of the guest's seat, for None that of the free seat; 0 if there is none.

    The team of a crowd or the computer is never a free seat.
    """
    if guest is None and duel.is_for_one:
        return 0
    pk = guest.pk if guest else None
    return next((number for number, seat in SEAT_FIELDS.items() if getattr(duel, f"{seat}_id") == pk), 0)


def active_games(guest: Guest) -> QuerySet[Duel]:
    """Return the guest's unfinished duels, newest first."""
    matches = Match.objects.filter(event=OuterRef("event"))
    on = Exists(matches.filter(state=MatchState.PLAYING)) | ~Exists(matches)
    return Duel.objects.filter(on, Q(one=guest) | Q(two=guest)).order_by("-pk")


def games_just_started(guest: Guest) -> QuerySet[Duel]:
    """Return the guest's games against other guests in which the first turn is live, newest first."""
    first_turn = Turn.objects.filter(
        match__event=OuterRef("event"), match__number=1, number=1, state__in=LIVE_STATES
    )
    people = {"one__isnull": False, "two__isnull": False}
    return active_games(guest).filter(Exists(first_turn), **people).select_related("event", "one", "two")
