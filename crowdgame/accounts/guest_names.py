"""Guests: a name for whoever comes without an account, given when it is first needed."""

import secrets

from django.db import IntegrityError, transaction
from django.utils import timezone

from crowdgame.accounts.models import Guest

MIN_NUMBER = 1_000
TRIES_PER_LENGTH = 4
INITIAL_NUMBER_LIMIT = 100_000


def find_guest(pk: int) -> Guest | None:
    """Whoever is here again, and has not been forgotten. Written down once a day."""
    guest, today = Guest.objects.filter(pk=pk).first(), timezone.localdate()
    if guest is not None and guest.seen_on != today:
        Guest.objects.filter(pk=pk).update(seen_on=today)
    return guest


def new_guest() -> Guest:
    """Of a number that nobody has: of five digits as long as there are enough of those."""
    below = INITIAL_NUMBER_LIMIT
    while True:
        for _ in range(TRIES_PER_LENGTH):
            try:
                with transaction.atomic():
                    return Guest.objects.create(number=MIN_NUMBER + secrets.randbelow(below - MIN_NUMBER))
            except IntegrityError:
                continue
        below *= 10
