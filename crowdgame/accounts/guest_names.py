"""Look up guests, and create them with a random number. A guest is somebody without an organizer's login."""

import secrets

from django.db import IntegrityError, transaction
from django.utils import timezone

from crowdgame.accounts.models import Guest

MIN_NUMBER = 1_000
TRIES_PER_LENGTH = 4
INITIAL_NUMBER_LIMIT = 100_000


def find_guest(pk: int) -> Guest | None:
    """Return the guest, or None if retention has deleted it. Updates `seen_on` once a day."""
    guest, today = Guest.objects.filter(pk=pk).first(), timezone.localdate()
    if guest is not None and guest.seen_on != today:
        Guest.objects.filter(pk=pk).update(seen_on=today)
    return guest


def new_guest() -> Guest:
    """Create a guest with a random free number, of at most five digits until those become scarce."""
    below = INITIAL_NUMBER_LIMIT
    while True:
        for _ in range(TRIES_PER_LENGTH):
            try:
                with transaction.atomic():
                    return Guest.objects.create(number=MIN_NUMBER + secrets.randbelow(below - MIN_NUMBER))
            except IntegrityError:
                continue
        below *= 10
