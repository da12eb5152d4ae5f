"""Pages of organizations: create one, invite and manage its members, join by a link, leave, delete."""

from typing import cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from crowdgame.events.access import organizer_page
from crowdgame.events.member_views import ROLE_ACTIONS
from crowdgame.events.models import ORGANIZATION_ROLES, Organization, OrganizationMember
from crowdgame.events.organizations import (
    LastOwner,
    accept_invitation,
    change_member,
    create_organization,
    delete_organization,
    find_invitation,
    invite_member,
)
from voting.protocol import Role

ORGANIZATION_ROLE_ACTIONS = [(Role.OWNER, _("Make owner")), *ROLE_ACTIONS]
OrganizationForm = forms.modelform_factory(Organization, fields=["name"])
MemberInvitationForm = forms.modelform_factory(
    OrganizationMember, fields=["name", "role"], widgets={"role": forms.RadioSelect}
)


@organizer_page
@require_http_methods(["GET", "POST"])
def organizations(request: HttpRequest) -> HttpResponse:
    """List the user's organizations, and create one."""
    user, form = cast(User, request.user), OrganizationForm(request.POST or None, label_suffix="")
    if form.is_valid():
        made = create_organization(form.cleaned_data["name"], user)
        return redirect("console:organization", pk=made.pk)
    memberships = OrganizationMember.objects.filter(user=user).select_related("organization")
    page = {"form": form, "memberships": memberships.order_by("organization__name")}
    return render(request, "events/organizations.html", page)


@organizer_page
@require_http_methods(["GET", "POST"])
def organization(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the members. Owners invite, change and remove members and delete it; every member can leave.

    Raises Http404 if the user is no member. A superuser counts as an owner.
    """
    shown, user = require_organization(request, pk), cast(User, request.user)
    own = shown.members.filter(user=user).first()
    is_owner = user.is_superuser or (own is not None and own.role == Role.OWNER)
    ask, link = request.POST.get("ask", ""), ""
    form = MemberInvitationForm(request.POST if ask == "invite" else None, label_suffix="")
    if ask == "leave" and own:
        left = _change_member(request, own, None)
        return redirect("console:organizations") if left else redirect("console:organization", pk=pk)
    if ask and not is_owner:
        raise Http404
    if form.is_valid():
        token = invite_member(shown, form.cleaned_data["name"], form.cleaned_data["role"])
        link = request.build_absolute_uri(reverse("console:join_organization", args=[token]))
        form = MemberInvitationForm(label_suffix="")
    elif ask == "delete" and "sure" in request.POST:
        delete_organization(shown, user)
        messages.success(request, gettext("“%(name)s” was deleted.") % {"name": shown.name})
        return redirect("console:organizations")
    elif ask in {"remove", *ORGANIZATION_ROLES} and request.POST.get("member", "").isdecimal():
        member = get_object_or_404(shown.members, pk=request.POST["member"])
        _change_member(request, member, None if ask == "remove" else Role(ask))
        return redirect("console:organization", pk=pk)
    page = {
        "organization": shown,
        "members": shown.members.select_related("user").order_by("user__username", "pk"),
        "own": own,
        "is_owner": is_owner,
        "form": form,
        "link": link,
        "others": ORGANIZATION_ROLE_ACTIONS,
    }
    return render(request, "events/organization.html", page)


def require_organization(request: HttpRequest, pk: int) -> Organization:
    """Return the organization if the user is a member or a superuser. Raises Http404 otherwise."""
    user = cast(User, request.user)
    visible = Organization.objects.all()
    return get_object_or_404(visible if user.is_superuser else visible.filter(members__user=user), pk=pk)


def _change_member(request: HttpRequest, member: OrganizationMember, role: Role | None) -> bool:
    try:
        change_member(member, role, cast(User, request.user))
    except LastOwner as refusal:
        messages.warning(request, str(refusal))
        return False
    messages.success(request, gettext("Saved."))
    return True


@organizer_page
@require_http_methods(["GET", "POST"])
def join_organization(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation, and accept it. Responds with status 410 if it is used, withdrawn or expired."""
    invitation = find_invitation(token)
    if invitation is None:
        return render(request, "accounts/invitation_gone.html", status=410)
    shown = invitation.organization
    if request.method == "POST":
        if not accept_invitation(token, cast(User, request.user)):
            messages.warning(request, gettext("You are a member already. The invitation still works."))
        return redirect("console:organization", pk=shown.pk)
    return render(request, "events/organization_join.html", {"invitation": invitation})
