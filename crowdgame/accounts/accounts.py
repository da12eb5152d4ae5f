"""Guest accounts: create, rename, delete; move games to an account at login.

With an account, a player is the same guest on every device. It is a Django user, whose user name is the
comparison key of the guest's name. Finished games keep the name they were played under.
"""

import unicodedata

from allauth.account.utils import filter_users_by_username
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from crowdgame.accounts.models import GUEST_NAME_LENGTH, GUEST_SKELETON_LENGTH, Guest
from crowdgame.accounts.name_skeletons import SEPARATORS, mixes_scripts, name_skeleton
from crowdgame.accounts.reserved_names import is_reserved
from crowdgame.accounts.signals import guest_left, guest_merged, guest_renamed
from voting.ballot_box.ballot_box import BallotBox
from voting.names import clean_name

MIN_NAME_LENGTH, MAX_KEY_LENGTH = 2, 80


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
        raise ValidationError(
            _("A name has %(least)s to %(most)s characters.")
            % {"least": MIN_NAME_LENGTH, "most": GUEST_NAME_LENGTH}
        )
    if not all(one in SEPARATORS or unicodedata.category(one)[0] in "LMN" for one in name):
        raise ValidationError(_("Use only letters, numbers, spaces and - ' _ in a name."))
    if is_reserved(name):
        raise ValidationError(_("This name is reserved. Choose another one."))
    if mixes_scripts(name):
        raise ValidationError(_("This name mixes letters of different scripts. Use letters of one script."))
    return name


def _has_valid_length(name: str) -> bool:
    return (
        MIN_NAME_LENGTH <= len(name) <= GUEST_NAME_LENGTH
        and MIN_NAME_LENGTH <= len(name_key(name)) <= MAX_KEY_LENGTH
        and 0 < len(name_skeleton(name)) <= GUEST_SKELETON_LENGTH
    )


def create_account(guest: Guest, name: str, password: str) -> User:
    """Give the guest an account and return its user.

    Raises AccountError if there is one already or the name is taken.
    """
    if guest.has_account:
        raise AccountError(_("You already have an account."))
    user = User()
    user.set_password(password)
    _save_name(guest, user, name)
    return user


def rename(guest: Guest, name: str) -> None:
    """Change the account's name, also in unfinished games. Raises AccountError if the name is taken."""
    if guest.user is not None:
        _save_name(guest, guest.user, name)


def _save_name(guest: Guest, user: User, name: str) -> None:
    user.username = name_key(name)
    try:
        with transaction.atomic():
            if filter_users_by_username(user.username).exclude(pk=user.pk).exists():
                raise IntegrityError
            user.save()
            guest.user, guest.name, guest.name_skeleton = user, name, name_skeleton(name)
            guest.save(update_fields=["user", "name", "name_skeleton"])
    except IntegrityError:
        guest.refresh_from_db()
        raise AccountError(_("This name, or one like it, is taken. Choose another one.")) from None
    guest_renamed.send(Guest, guest=guest)


def find_username(typed: str) -> str:
    """Return the user name that somebody means who logs in: the typed one, or the key of a guest's name."""
    return typed if filter_users_by_username(typed).exists() else name_key(typed) or typed


def transfer_games(guest: Guest, account: Guest) -> list[str]:
    """Move the games of an anonymous guest to the account they log in to. Returns sentences to show."""
    with transaction.atomic():
        transferred = guest_merged.send(Guest, guest=guest, account=account)
    return [sentence for _receiver, sentences in transferred for sentence in sentences or ()]


def delete_account(user: User, box: BallotBox) -> None:
    """Delete an account (erasure of personal data). A guest's number replaces the name everywhere.

    A guest leaves the games first, outside the transaction that deletes the user, as that takes event locks.
    The name goes with the user: without its guest, a user would be an organizer.
    """
    if guest := Guest.objects.filter(user=user).first():
        _leave(guest, box)
    user.delete()


def forget_name(user: User, box: BallotBox) -> None:
    """Remove the name and the account from the user's guest, if there is one. For a user being deleted."""
    if guest := Guest.objects.filter(user=user).first():
        _leave(guest, box)
        guest.save(update_fields=["user", "name", "name_skeleton"])


def _leave(guest: Guest, box: BallotBox) -> None:
    guest.user, guest.name, guest.name_skeleton = None, "", None
    guest_left.send(Guest, guest=guest, box=box)
