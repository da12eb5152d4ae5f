"""Nicknames of an event's voters, as others may see them."""

from django.db.models import Q

from voting.models import Event, Nickname, StoredRestriction
from voting.terms import Admission, Nicknames


def offered_nicknames(event: Event) -> Nicknames:
    """Return which nicknames the event's voters can have: none for fixed players or with a class list."""
    if event.fixed_players or event.admission == Admission.ROSTER:
        return Nicknames.OFF
    return Nicknames(event.nicknames)


def load_nicknames(event: Event) -> dict[str, str]:
    """Return the nicknames that everyone may see, by voter code.

    Nicknames that wait for an organizer, were removed, or belong to a banned voter are left out.
    """
    if offered_nicknames(event) == Nicknames.OFF:
        return {}
    hidden = StoredRestriction.objects.filter(Q(nameless=True) | Q(banned=True), event=event)
    seen = Nickname.objects.filter(event=event, allowed=True)
    return dict(seen.exclude(voter_code__in=hidden.values("voter_code")).values_list("voter_code", "name"))
