"""A guest's account: a name and a password, by which they are the same guest on every device.

It is claimed, renamed and left here. What was played is kept under the name it was played by.
"""

import unicodedata

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from crowdgame.accounts.models import GUEST_KEY_LENGTH, GUEST_NAME_LENGTH, Guest
from crowdgame.accounts.signals import guest_left, guest_merged
from games.names import clean_name
from voting.ballot_box.ballot_box import BallotBox

MIN_NAME_LENGTH = 2
ALLOWED_PUNCTUATION = frozenset(" -'\u2019_")
# What a name may not begin with, or be: the hall's own words, and who could be taken for its people.
RESERVED_PREFIXES = ("guest",)
RESERVED_NAMES = frozenset(
    {"openseat", "thehall", "admin", "administrator", "moderator", "organizer", "crowdgame"}
)


class AccountError(Exception):
    """A refusal; the message is shown to the guest."""


def name_key(name: str) -> str:
    """How names are told apart: not by capitals, width, spaces or signs."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


def clean_account_name(typed: str) -> str:
    """The name as it is shown. Raises ValidationError, in words."""
    name = clean_name(typed)
    key = name_key(name)
    if (
        not MIN_NAME_LENGTH <= len(name) <= GUEST_NAME_LENGTH
        or not MIN_NAME_LENGTH <= len(key) <= GUEST_KEY_LENGTH
    ):
        raise ValidationError(f"A name has {MIN_NAME_LENGTH} to {GUEST_NAME_LENGTH} letters or figures.")
    if not all(one in ALLOWED_PUNCTUATION or unicodedata.category(one)[0] in "LMN" for one in name):
        raise ValidationError("A name is of letters, figures, spaces and - ' _ only.")
    if key.startswith(RESERVED_PREFIXES) or key in RESERVED_NAMES:
        raise ValidationError("This name is kept for the hall itself: choose another.")
    return name


def create_account(guest: Guest, name: str, password: str) -> None:
    """Make the guest an account. Raises ValidationError, AccountError if the name is taken."""
    if guest.has_account:
        raise AccountError("You have an account already.")
    validate_password(password)
    _save_name(guest, name, password=make_password(password))


def rename(guest: Guest, name: str) -> None:
    """For games to come. Raises AccountError if somebody has it."""
    _save_name(guest, name)


def _save_name(guest: Guest, name: str, **more: str) -> None:
    for field, value in {"name": name, "name_key": name_key(name), **more}.items():
        setattr(guest, field, value)
    try:
        with transaction.atomic():
            guest.save(update_fields=["name", "name_key", *more])
    except IntegrityError:
        guest.refresh_from_db()
        raise AccountError("Somebody has this name, or one like it: choose another.") from None


def change_password(guest: Guest, password: str) -> None:
    """All other devices are logged out by it. Raises ValidationError."""
    validate_password(password)
    guest.password = make_password(password)
    guest.save(update_fields=["password"])


def check_credentials(name: str, password: str) -> Guest | None:
    """Whose name and password these are. It takes as long for a name that nobody has."""
    guest = Guest.objects.filter(name_key=name_key(name)).first()
    known = check_password(password, guest.password if guest else make_password(None))
    return guest if known else None


def transfer_games(guest: Guest, account: Guest) -> list[str]:
    """Hand over to the account what was begun here without one. Returns sentences to show.

    Raises MatchError if that cannot be: nobody plays against themselves.
    """
    if guest.has_account or guest == account:
        return []
    with transaction.atomic():
        handed_over = guest_merged.send(Guest, guest=guest, account=account)
    return [sentence for _, sentences in handed_over for sentence in sentences or ()]


def delete_account(guest: Guest, box: BallotBox) -> None:
    """Delete the account: wherever its name is shown, the guest's number takes its place.

    The password goes last: if the process dies in between, the guest can delete the account again.
    """
    guest.name, guest.name_key, guest.password = "", None, ""
    guest_left.send(Guest, guest=guest, box=box)
    guest.save(update_fields=["name", "name_key", "password"])
