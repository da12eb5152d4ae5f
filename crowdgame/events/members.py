"""Event members: co-hosts and viewers whom the owner adds, changes and removes.

A change of a role closes the member's open consoles after the commit.
"""

from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from crowdgame.accounts.accounts import find_username
from crowdgame.events.models import Member
from voting.announcements.outbox import publish_role_change
from voting.models import Event
from voting.protocol import Role


class MemberError(Exception):
    """A user can't become a member. The message can be shown to the organizer."""


def add_member(event: Event, name: str, role: Role) -> Member:
    """Add the active user with the user name `name`.

    Raises MemberError if there is none, or if the user is the owner or a member already.
    """
    user = User.objects.filter(username=find_username(name.strip()), is_active=True).first()
    if user is None:
        raise MemberError(_("No account has this username. Upper and lower case matter."))
    if user.pk == event.owner_id:
        raise MemberError(_("This is the event's owner, who already has full access."))
    member, added = Member.objects.get_or_create(event=event, user=user, defaults={"role": role})
    if not added:
        text = _("%(name)s is already a member. Change the role in the list.")
        raise MemberError(text % {"name": user.get_username()})
    return member


def change_member(event: Event, member_id: int, role: Role) -> str:
    """Set a member's role. Returns the user name, or an empty string if there is no such member."""
    found = Member.objects.filter(event=event, pk=member_id).select_related("user")
    return _publish_change(event, found.first(), found.update(role=role))


def remove_member(event: Event, member_id: int) -> str:
    """Remove a member. Returns the user name, or an empty string if there is no such member."""
    found = Member.objects.filter(event=event, pk=member_id).select_related("user")
    return _publish_change(event, found.first(), found.delete()[0])


def _publish_change(event: Event, before: Member | None, changed: int) -> str:
    if before is None or not changed:
        return ""
    publish_after_commit(before.user_id, event.pk)
    return before.user.get_username()


def publish_after_commit(user_id: int, *event_id: int) -> None:
    """After the transaction, have the gateways close the user's consoles of the event, or all of them."""
    transaction.on_commit(partial(publish_role_change, user_id, *event_id))
