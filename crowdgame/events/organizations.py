"""Organizations: create, invite by link, change and remove members, share events.

A change of a role is in the audit log of all the organization's events, and closes the member's open
consoles after the commit.
"""

import secrets
from hashlib import sha256

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowdgame.accounts.invitations import VALID_FOR
from crowdgame.events.audit_text import LogText
from crowdgame.events.event_edits import add_page_audit_entry, box_time
from crowdgame.events.members import publish_after_commit
from crowdgame.events.models import Organization, OrganizationMember, SharedEvent
from voting.models import Event
from voting.protocol import Role

MEMBER_JOINED = gettext_noop("%(by)s joined as a member of %(organization)s")
MEMBER_LEFT = gettext_noop("%(by)s left %(organization)s")
MEMBER_REMOVED = gettext_noop("%(by)s removed %(name)s from %(organization)s")
EVENT_SHARED = gettext_noop("%(by)s shared this event with %(organization)s")
EVENT_UNSHARED = gettext_noop("%(by)s stopped sharing this event with %(organization)s")
ROLE_CHANGED = {
    Role.OWNER: gettext_noop("%(by)s made %(name)s an owner in %(organization)s"),
    Role.COHOST: gettext_noop("%(by)s made %(name)s a co-host in %(organization)s"),
    Role.VIEWER: gettext_noop("%(by)s made %(name)s a viewer in %(organization)s"),
}


class LastOwner(Exception):
    """The only owner can't leave or get another role. The message is shown to the organizer."""


def create_organization(name: str, owner: User) -> Organization:
    with transaction.atomic():
        organization = Organization.objects.create(name=name)
        organization.members.create(user=owner, role=Role.OWNER)
    return organization


def organizations_to_share_with(user: User) -> QuerySet[Organization]:
    """Return the organizations whose events the user may run."""
    runs = OrganizationMember.objects.filter(user=user, role__in=[Role.OWNER, Role.COHOST])
    return Organization.objects.filter(pk__in=runs.values("organization")).order_by("name")


def invite_member(organization: Organization, name: str, role: str) -> str:
    """Create an invitation for a person and return its token, which is stored as a hash only."""
    token = secrets.token_urlsafe(24)
    expires_at = timezone.now() + VALID_FOR
    organization.members.create(name=name, role=role, token_hash=_hash(token), expires_at=expires_at)
    return token


def find_invitation(token: str) -> OrganizationMember | None:
    """Return the unused, unexpired invitation with this token, or None."""
    return _open_invitations(token).select_related("organization").first()


def accept_invitation(token: str, user: User) -> bool:
    """Make the user a member and spend the invitation.

    Returns False if the invitation is invalid, or the user a member already.
    """
    invitation = find_invitation(token)
    if invitation is None:
        return False
    organization = invitation.organization
    spent = {"user": user, "name": "", "token_hash": "", "expires_at": None}
    with transaction.atomic():
        _lock(organization)
        is_member = organization.members.filter(user=user).exists()
        if is_member or not _open_invitations(token).update(**spent):
            return False
        _log(organization, user, "member.add", LogText(MEMBER_JOINED))
        publish_after_commit(user.pk)
    return True


def change_member(member: OrganizationMember, role: Role | None, by: User) -> None:
    """Set a member's role; None removes the member, or withdraws the invitation.

    Raises LastOwner if the member is the only owner with an active account, or the only one at all.
    """
    organization = member.organization
    with transaction.atomic():
        _lock(organization)
        owners = organization.members.filter(role=Role.OWNER, user__isnull=False)
        is_owner = owners.filter(pk=member.pk).exists()
        others = owners.exclude(pk=member.pk).filter(user__is_active=True)
        if role != Role.OWNER and is_owner and not others.exists():
            raise LastOwner(_("You are the only owner. Make another member an owner first."))
        found = OrganizationMember.objects.filter(pk=member.pk)
        changed = found.update(role=role) if role else found.delete()[0]
        if changed and member.user:
            _log(organization, by, *_describe(member.user, role, by))
            publish_after_commit(member.user.pk)


def _describe(user: User, role: Role | None, by: User) -> tuple[str, LogText]:
    name = {"name": user.get_username()}
    if role:
        return "member.change", LogText(ROLE_CHANGED[role], name)
    return "member.remove", LogText(MEMBER_LEFT) if user == by else LogText(MEMBER_REMOVED, name)


def delete_organization(organization: Organization, by: User) -> None:
    """Delete the organization. Its events remain with their owners."""
    with transaction.atomic():
        _log(organization, by, "event.unshare", LogText(EVENT_UNSHARED))
        for user_id in _member_ids(organization):
            publish_after_commit(user_id)
        organization.delete()


def share_event(event: Event, organization: Organization | None, by: User, *, is_template: bool) -> None:
    """Move the event into the organization, or with None out of the one that it belongs to."""
    shared = SharedEvent.objects.filter(event=event).select_related("organization").first()
    before = shared.organization if shared else None
    with transaction.atomic():
        if organization:
            values = {"organization": organization, "is_template": is_template}
            SharedEvent.objects.update_or_create(event=event, defaults=values)
        else:
            SharedEvent.objects.filter(event=event).delete()
        if organization == before:
            return
        moves = ((before, "event.unshare", EVENT_UNSHARED), (organization, "event.share", EVENT_SHARED))
        for moved, kind, message in moves:
            if moved:
                what = LogText(message, {"organization": moved.name})
                add_page_audit_entry(event.pk, by, kind, what, box_time())
                for user_id in _member_ids(moved):
                    publish_after_commit(user_id, event.pk)


def _lock(organization: Organization) -> None:
    """Lock it, unless it was deleted meanwhile, with its members and invitations."""
    Organization.objects.select_for_update(no_key=True).filter(pk=organization.pk).first()


def _log(organization: Organization, by: User, kind: str, what: LogText) -> None:
    now, values = box_time(), {**what.values, "organization": organization.name}
    for event_id in organization.shared_events.values_list("event_id", flat=True):
        add_page_audit_entry(event_id, by, kind, LogText(what.message, values), now)


def _member_ids(organization: Organization) -> list[int]:
    return list(organization.members.filter(user__isnull=False).values_list("user_id", flat=True))


def _open_invitations(token: str) -> QuerySet[OrganizationMember]:
    valid = OrganizationMember.objects.filter(user=None, expires_at__gt=timezone.now())
    return valid.filter(token_hash=_hash(token))


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
