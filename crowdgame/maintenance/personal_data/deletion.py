"""Deletion of what belongs to a person. Results of others' matches remain, without the person's name."""

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from crowdgame.accounts.accounts import delete_account
from crowdgame.accounts.models import Guest
from crowdgame.accounts.signals import guest_left
from crowdgame.events.event_edits import delete_unless_playing
from crowdgame.events.models import AuditEntry, Organization, OrganizationMember, SharedEvent
from crowdgame.maintenance.personal_data.tables import Person
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match
from voting.protocol import Role
from voting.terms import MatchState

FORMER_ORGANIZER = "former organizer"


class DeletionRefused(Exception):
    """The account can't be deleted now. The message is shown to its owner."""


def delete_person(person: Person, box: BallotBox) -> None:
    """Delete the account with its events and cups, or make the guest anonymous. Idempotent.

    Events in an organization go to the first of its other owners.
    Raises DeletionRefused during a live match of an owned event, for the last administrator, and for the only
    owner of an organization with other members.
    """
    if person.user is None:
        if person.guest is not None:
            guest_left.send(Guest, guest=person.guest, box=box)
        return
    check_deletion(person.user)
    _transfer_shared_events(person.user)
    for event in Event.objects.filter(owner=person.user):
        if not delete_unless_playing(event.pk):
            raise DeletionRefused(_live_text(event))
    _solely_owned(person.user).delete()
    AuditEntry.objects.filter(user=person.user).update(by=FORMER_ORGANIZER)
    delete_account(person.user, box)


def check_deletion(user: User) -> None:
    """Raise DeletionRefused if the account can't be deleted now."""
    administrators = User.objects.filter(is_superuser=True, is_active=True)
    if user.is_superuser and not administrators.exclude(pk=user.pk).exists():
        raise DeletionRefused(_("You are the only administrator of this server. Invite another one first."))
    others = OrganizationMember.objects.filter(user__isnull=False).exclude(user=user)
    if organization := _solely_owned(user).filter(members__in=others).first():
        text = _("You are the only owner of the organization “%(name)s”. Hand it over or delete it first.")
        raise DeletionRefused(text % {"name": organization.name})
    playing = Match.objects.filter(event=OuterRef("pk"), state=MatchState.PLAYING)
    if live := Event.objects.filter(Exists(playing), owner=user).first():
        raise DeletionRefused(_live_text(live))


def _solely_owned(user: User) -> QuerySet[Organization]:
    owners = OrganizationMember.objects.filter(role=Role.OWNER, user__is_active=True)
    owned = Organization.objects.filter(members__in=owners.filter(user=user))
    return owned.exclude(members__in=owners.exclude(user=user))


def _transfer_shared_events(user: User) -> None:
    """Transfer ownership to another owner of the organization. Events without one are deleted."""
    owners = OrganizationMember.objects.filter(role=Role.OWNER, user__is_active=True).exclude(user=user)
    for shared in SharedEvent.objects.filter(event__owner=user):
        if heir := owners.filter(organization=shared.organization_id).order_by("pk").first():
            Event.objects.filter(pk=shared.event_id).update(owner=heir.user_id)


def _live_text(event: Event) -> str:
    return _("“%(name)s” has a live match. End it first.") % {"name": event.name}
