"""Look up guests, and create them with a random number. A guest plays and is no organizer."""

import secrets

from django.db import IntegrityError, transaction
from django.utils import timezone

from crowdgame.accounts.models import Guest

MIN_NUMBER = 1_000
TRIES_PER_LENGTH = 4
INITIAL_NUMBER_LIMIT = 100_000


def find_guest(pk: int) -> Guest | None:
    """Return the guest, or None if retention has deleted it. Notes the visit."""
    guest = Guest.objects.filter(pk=pk).first()
    if guest is not None:
        note_visit(guest)
    return guest


def note_visit(guest: Guest) -> None:
    """Update `seen_on` once a day."""
    if guest.seen_on != (today := timezone.localdate()):
        Guest.objects.filter(pk=guest.pk).update(seen_on=today)


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
