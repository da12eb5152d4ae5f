"""Guest accounts: create, rename, log in by password, change the password, delete.

With an account, a player is the same guest on every device. Finished games keep the name they were played
under.
"""

import unicodedata

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from crowdgame.accounts.models import (
    GUEST_KEY_LENGTH,
    GUEST_NAME_LENGTH,
    GUEST_SKELETON_LENGTH,
    Guest,
)
from crowdgame.accounts.name_skeletons import SEPARATORS, mixes_scripts, name_skeleton, without_marks
from crowdgame.accounts.signals import guest_left, guest_merged
from voting.ballot_box.ballot_box import BallotBox
from voting.names import clean_name

MIN_NAME_LENGTH = 2
# Skeletons of reserved words: the product's own labels, and names that could be mistaken for its staff.
RESERVED_PREFIXES = tuple(
    map(name_skeleton, ("guest", "crowdgame", "admin", "moderator", "organizer", "organiser"))
)
RESERVED_NAMES = frozenset(
    map(name_skeleton, ("open seat", "the crowd", "mod", "official", "root", "staff", "support", "system"))
)


class AccountError(Exception):
    """A refused account operation. The message is shown to the guest."""


def name_key(name: str) -> str:
    """Return the comparison key of a name. Case, Unicode width, spaces and punctuation do not count."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


def clean_account_name(typed: str) -> str:
    """Return the name as it is shown.

    Raises ValidationError, with a message for the guest, if the length or a character is wrong, the name is
    reserved or resembles a reserved one, or it mixes scripts.
    """
    name = clean_name(typed)
    if not _has_valid_length(name):
        raise ValidationError(f"A name has {MIN_NAME_LENGTH} to {GUEST_NAME_LENGTH} characters.")
    if not all(one in SEPARATORS or unicodedata.category(one)[0] in "LMN" for one in name):
        raise ValidationError("Use only letters, numbers, spaces and - ' _ in a name.")
    if _is_reserved(name):
        raise ValidationError("This name is reserved. Choose another one.")
    if mixes_scripts(name):
        raise ValidationError("This name mixes letters of different scripts. Use letters of one script.")
    return name


def _has_valid_length(name: str) -> bool:
    return (
        MIN_NAME_LENGTH <= len(name) <= GUEST_NAME_LENGTH
        and MIN_NAME_LENGTH <= len(name_key(name)) <= GUEST_KEY_LENGTH
        and 0 < len(name_skeleton(name)) <= GUEST_SKELETON_LENGTH
    )


def _is_reserved(name: str) -> bool:
    letters = without_marks(name_skeleton(name))
    return letters.startswith(RESERVED_PREFIXES) or letters in RESERVED_NAMES


def create_account(guest: Guest, name: str, password: str) -> None:
    """Turn the guest into an account with a name and a password.

    Raises ValidationError for a weak password. Raises AccountError if the guest has an account or the name is
    taken.
    """
    if guest.has_account:
        raise AccountError("You already have an account.")
    validate_password(password)
    _save_name(guest, name, password=make_password(password))


def rename(guest: Guest, name: str) -> None:
    """Change the account's name for future games. Raises AccountError if the name is taken."""
    _save_name(guest, name)


def _save_name(guest: Guest, name: str, **more: str) -> None:
    fields = {"name": name, "name_key": name_key(name), "name_skeleton": name_skeleton(name), **more}
    for field, value in fields.items():
        setattr(guest, field, value)
    try:
        with transaction.atomic():
            guest.save(update_fields=[*fields])
    except IntegrityError:
        guest.refresh_from_db()
        raise AccountError("This name, or one like it, is taken. Choose another one.") from None


def change_password(guest: Guest, password: str) -> None:
    """Set a new password, which logs out all other devices. Raises ValidationError for a weak password."""
    validate_password(password)
    guest.password = make_password(password)
    guest.save(update_fields=["password"])


def check_credentials(name: str, password: str) -> Guest | None:
    """Return the account with this name and password, or None.

    Hashes a password for unknown names too, so that the response time does not reveal which names exist.
    """
    guest = Guest.objects.filter(name_key=name_key(name)).first()
    known = check_password(password, guest.password if guest else make_password(None))
    return guest if known else None


def transfer_games(guest: Guest, account: Guest) -> list[str]:
    """Move the games of an anonymous guest to the account they log in to. Returns sentences to show.

    Does nothing if the guest has an account. Raises MatchError if guest and account play against each other.
    """
    if guest.has_account or guest == account:
        return []
    with transaction.atomic():
        handed_over = guest_merged.send(Guest, guest=guest, account=account)
    return [sentence for _, sentences in handed_over for sentence in sentences or ()]


def delete_account(guest: Guest, box: BallotBox) -> None:
    """Delete the account (erasure of personal data). The guest's number replaces the name everywhere.

    The password is cleared last: if the process dies before that, the guest can delete the account again.
    """
    guest.name, guest.name_key, guest.name_skeleton, guest.password = "", None, None, ""
    guest_left.send(Guest, guest=guest, box=box)
    guest.save(update_fields=["name", "name_key", "name_skeleton", "password"])
