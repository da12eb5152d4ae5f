"""Event members with their roles, organizations, archived events, and the audit log of organizer actions."""

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint
from django.utils.translation import gettext_lazy as _

from crowdgame.events.audit_text import format_text
from voting.models import Event
from voting.protocol import Role

MEMBER_ROLES = {Role.COHOST: _("Co-host: runs the event"), Role.VIEWER: _("Viewer: watches only")}

ORGANIZATION_ROLES = {Role.OWNER: _("Owner: manages events and members"), **MEMBER_ROLES}


class Member(models.Model):
    """A user other than the owner who has access to an event's console."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=8, choices=MEMBER_ROLES)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["event", "user"], name="member_once"),
            CheckConstraint(condition=Q(role__in=list(MEMBER_ROLES)), name="member_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.event}"


class Organization(models.Model):
    """People who share events. Each member has a role at all events that are shared with it."""

    name = models.CharField(_("Name"), max_length=80)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class OrganizationMember(models.Model):
    """A member of an organization, or without a `user` an invitation to become one.

    The link of an invitation works once, until `expires_at`. `name` says whom it is for.
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    role = models.CharField(_("Role"), max_length=8, choices=ORGANIZATION_ROLES, default=Role.COHOST)
    name = models.CharField(
        _("For whom"), max_length=80, default="", help_text=_("A name that tells you who it is.")
    )
    token_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            UniqueConstraint(fields=["organization", "user"], name="organization_member_once"),
            CheckConstraint(condition=Q(role__in=list(ORGANIZATION_ROLES)), name="organization_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user or self.name} in {self.organization}"


class SharedEvent(models.Model):
    """An event that belongs to an organization. If it `is_template`, members create events like it."""

    event = models.OneToOneField(Event, on_delete=models.CASCADE, related_name="shared")
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="shared_events")
    is_template = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.event} of {self.organization}"


class ArchivedEvent(models.Model):
    """Marks an event that its owner has archived."""

    event = models.OneToOneField(Event, on_delete=models.CASCADE, related_name="archived")
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return str(self.event)


class EventLogo(models.Model):
    """A logo of an event: the current one, or the one before, for an undo. `key` is a hash of `content`."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="logos")
    key = models.CharField(max_length=32, db_index=True)
    content = models.BinaryField()

    class Meta:
        constraints = [UniqueConstraint(fields=["event", "key"], name="logo_once")]

    def __str__(self) -> str:
        return f"{self.key} of {self.event}"


class AuditEntry(models.Model):
    """One organizer action in an event's audit log.

    `what` and `what_values` are a `LogText`. In entries from before translations, `what_values` is null and
    `what` is shown after the name. `at` is ballot box time in milliseconds. `pressed` is the console action
    as a `Pressed` message, and `undo` the action that reverts it. Both are null for edits on a page.
    `undone` is set by an undo. `user` is whose action it was: another account may get the name `by` later.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="audit_entries")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    by = models.CharField(max_length=150)
    action = models.CharField(max_length=24)
    what = models.CharField(max_length=200)
    what_values = models.JSONField(null=True, blank=True)
    pressed = models.JSONField(null=True, blank=True)
    undo = models.JSONField(null=True, blank=True)
    undone = models.BooleanField(default=False, db_default=False)
    at = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["event", "-at"], name="audit_latest")]

    def __str__(self) -> str:
        """The entry as a sentence in the active language."""
        if self.what_values is None:
            return f"{self.by} {self.what}"
        return format_text(self.what, {"by": self.by, **self.what_values})
