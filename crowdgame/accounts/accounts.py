"""A guest's account: a name and a password, by which they are the same guest on every device.

It is claimed, renamed and left here. What was played is kept under the name it was played by.
"""

import unicodedata
from contextlib import suppress

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from redis import RedisError

from crowdgame.console.control import edit_event
from crowdgame.duels.duels import SEATS, HallError, games_on, place_of
from games.matches import changing, changing_event
from games.models import (
    GUEST_KEY_LENGTH,
    GUEST_NAME_LENGTH,
    Address,
    ChatLine,
    Duel,
    Event,
    Guest,
    Match,
    MatchState,
)
from games.names import clean_name
from voting.ballot_box.ballot_box import BallotBox

LEAST_NAME = 2
ALLOWED = frozenset(" -'\u2019_")
# What a name may not begin with, or be: the hall's own words, and who could be taken for its people.
NOT_FIRST = ("guest",)
RESERVED = frozenset({"openseat", "thehall", "admin", "administrator", "moderator", "organizer", "crowdgame"})


def name_key(name: str) -> str:
    """How names are told apart: not by capitals, width, spaces or signs."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


def checked_name(typed: str) -> str:
    """The name as it is shown. Raises ValidationError, in words."""
    name = clean_name(typed)
    key = name_key(name)
    if not LEAST_NAME <= len(name) <= GUEST_NAME_LENGTH or not LEAST_NAME <= len(key) <= GUEST_KEY_LENGTH:
        raise ValidationError(f"A name has {LEAST_NAME} to {GUEST_NAME_LENGTH} letters or figures.")
    if not all(one in ALLOWED or unicodedata.category(one)[0] in "LMN" for one in name):
        raise ValidationError("A name is of letters, figures, spaces and - ' _ only.")
    if key.startswith(NOT_FIRST) or key in RESERVED:
        raise ValidationError("This name is kept for the hall itself: choose another.")
    return name


def claim(guest: Guest, name: str, password: str) -> None:
    """Make the guest an account. `name` is checked. Raises ValidationError, HallError if somebody has it."""
    if guest.has_account:
        raise HallError("You have an account already.")
    validate_password(password)
    _name(guest, name, password=make_password(password))


def rename(guest: Guest, name: str) -> None:
    """For games to come. Raises HallError if somebody has it."""
    _name(guest, name)


def _name(guest: Guest, name: str, **more: str) -> None:
    for field, value in {"name": name, "name_key": name_key(name), **more}.items():
        setattr(guest, field, value)
    try:
        with transaction.atomic():
            guest.save(update_fields=["name", "name_key", *more])
    except IntegrityError:
        guest.refresh_from_db()
        raise HallError("Somebody has this name, or one like it: choose another.") from None


def change_password(guest: Guest, password: str) -> None:
    """All other devices are logged out by it. Raises ValidationError."""
    validate_password(password)
    guest.password = make_password(password)
    guest.save(update_fields=["password"])


def find_account(name: str, password: str) -> Guest | None:
    """Whose name and password these are. It takes as long for a name that nobody has."""
    guest = Guest.objects.filter(name_key=name_key(name)).first()
    known = check_password(password, guest.password if guest else make_password(None))
    return guest if known else None


def games_coming(guest: Guest) -> QuerySet[Duel]:
    """Those that come along as this guest logs in: not over, and no match of them is."""
    ended = Match.objects.filter(event=OuterRef("event"), state=MatchState.ENDED)
    return games_on(guest).filter(~Exists(ended))


def take_along(guest: Guest, account: Guest) -> int:
    """The games that are not over and were begun here without an account are the account's now; how many.

    Where the two have played a match already, it was this guest's, and so is the next: its ratings tell of a
    guest. Raises HallError if guest and account play against each other: nobody plays on both sides.
    """
    if guest.has_account or guest == account:
        return 0
    with transaction.atomic():
        if any(place_of(duel, account) for duel in games_on(guest)):
            raise HallError(f"As {guest} you play here against this account: finish that game first.")
        taken = list(games_coming(guest))
        for duel in taken:
            Duel.objects.filter(pk=duel.pk).update(**{SEATS[place_of(duel, guest)]: account})
    return len(taken)


def leave(guest: Guest, box: BallotBox) -> None:
    """Delete the account: in all games, and in what was said, the name becomes the guest's number.

    Games that wait are taken away; those that are on end by the clock. The password goes last: whoever was
    cut off in between can do it again.
    """
    Address.objects.filter(guest=guest).delete()
    for event_id in Event.objects.filter(_waiting(guest)).values_list("pk", flat=True):
        with changing(event_id):
            Event.objects.filter(_waiting(guest), pk=event_id).delete()
    guest.name, guest.name_key, guest.password = "", None, ""
    ChatLine.objects.filter(guest=guest).update(name=str(guest))
    for duel in Duel.objects.filter(Q(one=guest) | Q(two=guest)).select_related("event"):
        _unname(duel, guest)
    guest.save(update_fields=["name", "name_key", "password"])
    for event_id in games_on(guest).values_list("event_id", flat=True):
        with suppress(RedisError):  # the screens learn the name with the next change
            edit_event(event_id, box)


def _waiting(guest: Guest) -> Q:
    """Never begun, and nobody else has a seat."""
    alone = Q(duel__one=guest, duel__two=None) | Q(duel__one=None, duel__two=guest)
    return alone & Q(~Exists(Match.objects.filter(event=OuterRef("pk"))))


def _unname(duel: Duel, guest: Guest) -> None:
    place = place_of(duel, guest)
    with changing_event(duel.event_id) as event:
        event.teams.filter(number=place).update(name=str(guest))
        event.tickets.filter(team=place).update(label=str(guest))
        names = " against ".join(event.teams.order_by("number").values_list("name", flat=True))
        Event.objects.filter(pk=event.pk).update(name=names)
