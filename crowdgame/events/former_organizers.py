"""Names of deleted accounts in the audit logs of events."""

from typing import Any

from django.contrib.auth.models import User

from crowdgame.events.models import AuditEntry

FORMER_ORGANIZER = "former organizer"
# In their entries, `what_values["name"]` is the name of an account.
ACTIONS_ABOUT_ACCOUNTS = ("member.add", "member.change", "member.remove", "event.hand_over")


def forget_organizer(instance: User, **_signal: Any) -> None:
    """Replace the name of an account that is being deleted, in its own entries and in those about it."""
    AuditEntry.objects.filter(user=instance).update(by=FORMER_ORGANIZER)
    about = AuditEntry.objects.filter(action__in=ACTIONS_ABOUT_ACCOUNTS)
    for entry in about.filter(what_values__name=instance.get_username()):
        entry.what_values = dict(entry.what_values or {}, name=FORMER_ORGANIZER)
        entry.save(update_fields=["what_values"])
