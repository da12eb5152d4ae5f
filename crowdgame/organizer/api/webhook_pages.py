"""`/console/webhooks/`: an organizer's webhooks and the messages sent to them."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from crowdgame.events.access import visible_events
from crowdgame.events.permissions import OrganizerAccess, role_at_event
from crowdgame.organizer.api.models import Webhook, WebhookDelivery
from crowdgame.organizer.api.webhooks import (
    TYPES,
    URL_RULE,
    add_webhook,
    ping,
    remove_webhook,
    resend,
    resume_webhook,
    rotate_secret,
)
from crowdgame.server.web.outgoing_request import MAX_URL_LENGTH, RefusedAddress
from voting.matches import MatchError

SHOWN_DELIVERIES = 10
ON_ITS_WAY = gettext_lazy("The message will be sent in a moment. Reload this page to see the answer.")


class WebhookForm(forms.Form):
    url = forms.CharField(label=gettext_lazy("URL"), max_length=MAX_URL_LENGTH, widget=forms.URLInput)
    code = forms.CharField(label=gettext_lazy("Code of the event"))
    types = forms.MultipleChoiceField(
        label=gettext_lazy("Changes"),
        choices=[(one, one) for one in TYPES],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Choose none to receive all."),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.label_suffix = ""

    def clean(self) -> None:
        super().clean()
        code = self.cleaned_data.get("code", "").strip().upper()
        event = visible_events(self.user).filter(code=code, fixed_players=False).first()
        role = role_at_event(self.user, event.pk) if event else None
        if event is None or role is None:
            self.add_error("code", _("You have no event with this code."))
        elif not self.errors:
            who = OrganizerAccess(self.user.get_username(), role, self.user.pk)
            try:
                self.webhook = add_webhook(who, event, self.cleaned_data["url"], self.cleaned_data["types"])
            except RefusedAddress:
                self.add_error("url", str(URL_RULE))
            except MatchError as refusal:
                self.add_error(None, str(refusal))


@require_http_methods(["GET", "POST"])
def webhooks(request: HttpRequest) -> HttpResponse:
    """List the user's webhooks, add one and show its secret once, or do what a button says."""
    user = cast(User, request.user)
    secret, form = "", WebhookForm(user)
    own = Webhook.objects.filter(user=user)
    if request.POST.get("webhook", "").isdecimal():
        secret = _press(request, get_object_or_404(own, pk=request.POST["webhook"]))
        if not secret:
            return redirect("console:webhooks")
    elif request.method == "POST":
        form = WebhookForm(user, request.POST)
        if form.is_valid():
            secret, form = form.webhook.secret, WebhookForm(user)
    latest = Prefetch("deliveries", WebhookDelivery.objects.order_by("-pk")[:SHOWN_DELIVERIES], "latest")
    rows = own.select_related("event").prefetch_related(latest).order_by("-pk")
    page = {"form": form, "secret": secret, "rows": rows}
    return render(request, "api/webhooks.html", page, status=400 if form.errors else 200)


def _press(request: HttpRequest, webhook: Webhook) -> str:
    """Do what a button of the webhook says. Return the secret to show, if any."""
    match request.POST.get("press"):
        case "rotate":
            messages.success(request, _("The previous secret is valid for another 24 hours."))
            return rotate_secret(webhook)
        case "remove":
            remove_webhook(webhook, cast(User, request.user).get_username())
            messages.success(request, _("The webhook is removed."))
        case "resume":
            resume_webhook(webhook)
        case "test":
            ping(webhook)
            messages.success(request, ON_ITS_WAY)
        case message_id:
            resend(get_object_or_404(webhook.deliveries, message_id=message_id))
            messages.success(request, ON_ITS_WAY)
    return ""
