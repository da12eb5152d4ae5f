"""What is left lying in the hall: games that nobody ever joined, and guests who do not come any more."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.fields.related import ForeignObjectRel
from django.utils import timezone

from crowdgame.accounts.models import Guest
from crowdgame.duels.models import Duel
from games.matches import event_lock
from games.models import Event

# Whoever does it holds up nobody.
GAMES_PER_STEP, GUESTS_PER_STEP = 4, 100


def abandoned_games(days: int) -> QuerySet[Duel]:
    """Made so long ago, and never begun."""
    before = timezone.now() - timedelta(days=days)
    alone = Q(one=None) | Q(two=None)
    return Duel.objects.filter(alone, event__matches=None, event__created_at__lt=before)


def stale_guests(days: int) -> QuerySet[Guest]:
    """Without an account, not seen for so long, and nothing else says anything about them."""
    before = timezone.localdate() - timedelta(days=days)
    idle_guests = Guest.objects.filter(password="", seen_on__lt=before)
    return idle_guests.filter(*(~Exists(rows) for rows in _rows_of_a_guest()))


def _rows_of_a_guest() -> Iterator[QuerySet[Any]]:
    """Of every table that has any: whatever is added one day counts as well."""
    for link in Guest._meta.get_fields(include_hidden=True):
        if isinstance(link, ForeignObjectRel):
            yield link.related_model._default_manager.filter(**{link.field.name: OuterRef("pk")})


def clean_up_duels(days: int) -> Iterator[int]:
    """Do it step by step; after each, how many games or guests are gone with it."""
    while batch := list(islice(abandoned_games(days).values_list("event_id", flat=True), GAMES_PER_STEP)):
        yield sum(_drop_game(event_id, days) for event_id in batch)
    while batch := list(islice(stale_guests(days).values_list("pk", flat=True), GUESTS_PER_STEP)):
        with transaction.atomic():
            yield stale_guests(days).filter(pk__in=batch).delete()[0]


def _drop_game(event_id: int, days: int) -> bool:
    """Unless somebody joins at this moment: then the event is theirs."""
    with event_lock(event_id):
        return Event.objects.filter(pk=event_id, duel__in=abandoned_games(days)).delete()[0] > 0
