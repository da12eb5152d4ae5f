"""`/console/invitations/`: administrators invite organizers. `/console/invitation/…`: the link of one."""

from typing import cast

from allauth.account.adapter import get_adapter
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from crowdgame.accounts.invitations import (
    SESSION_KEY,
    create_invitation,
    find_invitation,
    is_open,
    revoke_invitation,
)
from crowdgame.accounts.models import Invitation
from crowdgame.server.web.address_field import AddressField


class InvitationForm(forms.Form):
    name = forms.CharField(
        label=_("For whom"), max_length=80, help_text=_("A name that tells you who it is.")
    )
    email = AddressField(
        label=_("E-mail address (optional)"),
        required=False,
        help_text=_("It counts as confirmed if the person signs up with it."),
    )


def invitation_path(token: str) -> str:
    return reverse("console:invitation", args=[token])


@login_required
@require_http_methods(["GET", "POST"])
def invitations(request: HttpRequest) -> HttpResponse:
    """List the open invitations, create one and show its link once, or revoke one.

    Raises Http404 if the user is no administrator.
    """
    if not cast(User, request.user).is_superuser:
        raise Http404
    form = InvitationForm(request.POST if request.POST.get("ask") == "invite" else None)
    link = ""
    if request.POST.get("revoke", "").isdigit():
        revoke_invitation(int(request.POST["revoke"]))
        messages.success(request, _("The invitation no longer works."))
        return redirect("console:invitations")
    if form.is_valid():
        token = create_invitation(
            form.cleaned_data["name"], cast(User, request.user), form.cleaned_data["email"]
        )
        link, form = request.build_absolute_uri(invitation_path(token)), InvitationForm()
    pending = Invitation.objects.filter(is_open()).select_related("made_by").order_by("-pk")
    status = 400 if form.errors else 200
    page = {"form": form, "link": link, "pending": pending}
    return render(request, "accounts/invitations.html", page, status=status)


@require_safe
def accept_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Remember the invitation in this browser and lead to the sign-up page. Only signing up spends it.

    Responds with status 410 if it is used, revoked, expired or invalid.
    """
    invitation = find_invitation(token)
    if invitation is None:
        return render(request, "accounts/invitation_gone.html", status=410)
    request.session[SESSION_KEY] = invitation.pk
    if invitation.email:
        get_adapter().stash_verified_email(request, invitation.email)
    return redirect("account_signup")
