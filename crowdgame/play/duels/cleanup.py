"""Retention of duels: delete games that nobody joined, guests that no longer visit, and network hashes."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.fields.related import ForeignObjectRel
from django.utils import timezone

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.creation_limits import forget_networks
from crowdgame.play.duels.models import Duel
from voting.matches import event_lock
from voting.models import Event

# Small batches, so that the hourly job delays no other work.
GAMES_PER_STEP, GUESTS_PER_STEP = 4, 100


def abandoned_games(days: int) -> QuerySet[Duel]:
    """Return duels with a free seat and no match, created more than `days` ago."""
    before = timezone.now() - timedelta(days=days)
    alone = Q(one=None) | Q(two=None)
    return Duel.objects.filter(alone, event__matches=None, event__created_at__lt=before)


def stale_guests(days: int) -> QuerySet[Guest]:
    """Return guests without an account, unseen for more than `days`, that no other row refers to."""
    before = timezone.localdate() - timedelta(days=days)
    idle_guests = Guest.objects.filter(user=None, seen_on__lt=before)
    return idle_guests.filter(*(~Exists(rows) for rows in _rows_of_a_guest()))


def _rows_of_a_guest() -> Iterator[QuerySet[Any]]:
    """Yield the rows of every table that refers to a guest. Future tables are found as well."""
    for link in Guest._meta.get_fields(include_hidden=True):
        if isinstance(link, ForeignObjectRel):
            yield link.related_model._default_manager.filter(**{link.field.name: OuterRef("pk")})


def clean_up_duels(days: int) -> Iterator[int]:
    """Delete in steps. Yields the number of games or rows deleted or changed by each step."""
    if forgotten := forget_networks():
        yield forgotten
    while batch := list(islice(abandoned_games(days).values_list("event_id", flat=True), GAMES_PER_STEP)):
        yield sum(_drop_game(event_id, days) for event_id in batch)
    while batch := list(islice(stale_guests(days).values_list("pk", flat=True), GUESTS_PER_STEP)):
        with transaction.atomic():
            yield stale_guests(days).filter(pk__in=batch).delete()[0]


def _drop_game(event_id: int, days: int) -> bool:
    """Delete the game under the event's lock, unless somebody has joined since."""
    with event_lock(event_id):
        return Event.objects.filter(pk=event_id, duel__in=abandoned_games(days)).delete()[0] > 0
