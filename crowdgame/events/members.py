"""Event members: co-hosts and viewers whom the owner adds, changes and removes."""

from django.contrib.auth.models import User
from django.db.models import QuerySet

from crowdgame.events.models import Member
from games.models import Event
from voting.protocol import Role


class MemberError(Exception):
    """A user can't become a member. The message can be shown to the organizer."""


def add_member(event: Event, name: str, role: Role) -> Member:
    """Add the active user with the user name `name`.

    Raises MemberError if there is none, or if the user is the owner or a member already.
    """
    user = User.objects.filter(username=User.normalize_username(name.strip()), is_active=True).first()
    if user is None:
        raise MemberError("No account has this username. Upper and lower case matter.")
    if user.pk == event.owner_id:
        raise MemberError("This is the event's owner, who already has full access.")
    member, added = Member.objects.get_or_create(event=event, user=user, defaults={"role": role})
    if not added:
        raise MemberError(f"{user.get_username()} is already a member. Change the role in the list.")
    return member


def change_member(event: Event, member_id: int, role: Role) -> str:
    """Set a member's role and return the user name, or an empty string if there is no such member."""
    found = Member.objects.filter(event=event, pk=member_id)
    name = _username(found)
    return name if found.update(role=role) else ""


def remove_member(event: Event, member_id: int) -> str:
    """Remove a member and return the user name, or an empty string if there is no such member."""
    found = Member.objects.filter(event=event, pk=member_id)
    name = _username(found)
    return name if found.delete()[0] else ""


def _username(found: QuerySet[Member]) -> str:
    return found.values_list("user__username", flat=True).first() or ""
