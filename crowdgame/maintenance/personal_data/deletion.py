"""Deletion of what belongs to a person. Results of others' matches remain, without the person's name."""

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowdgame.accounts.accounts import delete_account
from crowdgame.accounts.models import Guest
from crowdgame.accounts.signals import guest_left
from crowdgame.events.audit_text import LogText
from crowdgame.events.event_edits import add_page_audit_entry, delete_unless_playing
from crowdgame.events.members import publish_after_commit
from crowdgame.events.models import Member, Organization, OrganizationMember
from crowdgame.maintenance.personal_data.tables import Person
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import event_lock
from voting.models import Event, Match
from voting.protocol import Role
from voting.terms import MatchState

EVENT_HANDED_OVER = gettext_noop("%(by)s deleted their account. %(name)s owns this event now.")


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
    events = Event.objects.filter(owner=person.user)
    for event in sorted(events, key=lambda event: _find_heir(event) is not None):
        if not _hand_over(event, box.now()) and not delete_unless_playing(event.pk):
            raise DeletionRefused(_live_text(event))
    _solely_owned(person.user).delete()
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


def _find_heir(event: Event) -> User | None:
    """Return the first of the other owners of the event's organization."""
    owners = OrganizationMember.objects.filter(role=Role.OWNER, user__is_active=True)
    owners = owners.filter(organization__shared_events__event=event).exclude(user=event.owner_id)
    heir = owners.select_related("user").order_by("pk").first()
    return heir.user if heir else None


def _hand_over(event: Event, now: int) -> bool:
    """Make the heir the owner. Returns False if there is none."""
    with event_lock(event.pk):
        heir = _find_heir(event)
        if heir is None:
            return False
        what = LogText(EVENT_HANDED_OVER, {"name": heir.get_username()})
        add_page_audit_entry(event.pk, event.owner, "event.hand_over", what, now)
        Event.objects.filter(pk=event.pk).update(owner=heir)
        Member.objects.filter(event=event, user=heir).delete()
        publish_after_commit(heir.pk, event.pk)
    return True


def _live_text(event: Event) -> str:
    return _("“%(name)s” has a live match. End it first.") % {"name": event.name}
