"""Receivers of account signals: a guest's duels at login to an account, and when the account is deleted."""

from contextlib import suppress
from functools import cache
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext
from redis import RedisError

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duels import (
    SEAT_FIELDS,
    active_games,
    name_after_creator,
    name_after_teams,
    name_seat,
    seat_number,
)
from crowdgame.play.duels.models import Duel
from games.engine.errors import GameError
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import event_lock, locked_event
from voting.models import Event, Match
from voting.terms import MatchState

ballot_box = cache(BallotBox)


def games_to_transfer(guest: Guest) -> QuerySet[Duel]:
    """Return the games that move to an account at login: unfinished ones without a finished match."""
    ended = Match.objects.filter(event=OuterRef("event"), state=MatchState.ENDED)
    return active_games(guest).filter(~Exists(ended))


def transfer_games(guest: Guest, account: Guest, **_: Any) -> list[str]:
    """Move the guest's unfinished games to the account. Returns sentences to show.

    A pair that has finished a match keeps its rematch under the guest's name, as its ratings belong to that
    guest. So does a game against the account itself.
    """
    taken = [duel for duel in games_to_transfer(guest) if not seat_number(duel, account)]
    for duel in taken:
        Duel.objects.filter(pk=duel.pk).update(**{SEAT_FIELDS[seat_number(duel, guest)]: account})
    sentences = []
    if taken:
        transaction.on_commit(lambda: rename_seats(account))
        sentences.append(gettext("Games moved to your account: %(count)s.") % {"count": len(taken)})
    if kept := active_games(guest).count():
        stay = gettext("Games that stay with %(guest)s: %(count)s. Continue them in this browser.")
        sentences.append(stay % {"guest": guest, "count": kept})
    return sentences


def leave_games(guest: Guest, box: BallotBox, **_: Any) -> None:
    """Delete games without an opponent, and remove the name from all others.

    Live games run until they end or time out.
    """
    for event_id in Event.objects.filter(_unstarted_games(guest)).values_list("pk", flat=True):
        with event_lock(event_id):
            Event.objects.filter(_unstarted_games(guest), pk=event_id).delete()
    for duel in Duel.objects.filter(Q(one=guest) | Q(two=guest)):
        _rename_seat(duel, guest)
    for event_id in active_games(guest).values_list("event_id", flat=True):
        with suppress(RedisError, GameError):  # screens then receive the new name with the next change
            announce_edit(event_id, box.now())


def rename_seats(guest: Guest, **_: Any) -> None:
    """Show the guest's new name in unfinished games and on their screens. Finished games keep the old one."""
    for duel in active_games(guest):
        _rename_seat(duel, guest)
        with suppress(RedisError, GameError):  # screens then receive the new name with the next change
            announce_edit(duel.event_id, ballot_box().now())


def _unstarted_games(guest: Guest) -> Q:
    """Select events without a match where nobody else has a seat."""
    alone = Q(duel__one=guest, duel__two=None) | Q(duel__one=None, duel__two=guest)
    return alone & Q(~Exists(Match.objects.filter(event=OuterRef("pk"))))


def _rename_seat(duel: Duel, guest: Guest) -> None:
    number = seat_number(duel, guest)
    with locked_event(duel.event_id) as event:
        name_seat(event, number, guest)
        if event.matches.exists():
            name_after_teams(event)
        else:
            name_after_creator(event, guest)
