"""The fields of event pages that move an event into an organization, or out of it."""

from collections.abc import Mapping

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from crowdgame.events.models import Organization, SharedEvent
from crowdgame.events.organizations import organizations_to_share_with, share_event
from voting.models import Event


class SharingForm(forms.Form):
    is_template = forms.BooleanField(label=_("Offer it as a template to the organization"), required=False)

    def __init__(
        self, user: User, data: Mapping[str, str] | None, event: Event | None = None, chosen: str = ""
    ) -> None:
        """`chosen`: the key of the organization that a new event's form begins with."""
        shared = SharedEvent.objects.filter(event=event).first() if event else None
        initial: dict[str, object] = {"organization": chosen}
        if shared:
            initial = {"organization": shared.organization, "is_template": shared.is_template}
        super().__init__(data or None, initial=initial, label_suffix="")
        self.offered = organizations_to_share_with(user)
        if shared:
            self.offered |= Organization.objects.filter(pk=shared.organization_id)
        self.fields["organization"] = forms.ModelChoiceField(
            self.offered,
            label=_("Organization"),
            required=False,
            empty_label=_("Not shared"),
            help_text=_("Its members have their role at this event."),
        )
        self._user = user

    def apply(self, event: Event) -> None:
        """Share the event as chosen. A page without these fields changes nothing."""
        if "organization" in self.data:
            chosen, is_template = self.cleaned_data["organization"], self.cleaned_data["is_template"]
            share_event(event, chosen, self._user, is_template=is_template)


def shared_templates(user: User) -> QuerySet[SharedEvent]:
    """Return the templates of the organizations whose events the user may run."""
    templates = SharedEvent.objects.filter(
        is_template=True, organization__in=organizations_to_share_with(user)
    )
    return templates.select_related("event", "organization").order_by("event__name")
