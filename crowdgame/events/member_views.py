"""Members page: the owner adds co-hosts and viewers by user name, and changes or removes them."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from crowdgame.events.access import owner_page
from crowdgame.events.audit_text import LogText
from crowdgame.events.event_edits import log_edit
from crowdgame.events.members import MemberError, add_member, change_member, remove_member
from crowdgame.events.models import MEMBER_ROLES, Member
from crowdgame.server.web.errors import show_refusal
from voting.models import Event
from voting.protocol import Role

MAX_ID_DIGITS = 19
MEMBERS_PER_PAGE = 50
MEMBER_ADDED = {
    Role.COHOST: gettext_noop("%(by)s added %(name)s as a co-host"),
    Role.VIEWER: gettext_noop("%(by)s added %(name)s as a viewer"),
}
ROLE_CHANGED = {
    Role.COHOST: gettext_noop("%(by)s made %(name)s a co-host"),
    Role.VIEWER: gettext_noop("%(by)s made %(name)s a viewer"),
}
ROLE_ACTIONS = {Role.COHOST: _("Make co-host"), Role.VIEWER: _("Make viewer")}.items()


class MemberForm(forms.Form):
    name = forms.CharField(
        label=_("Username"),
        max_length=150,
        help_text=_("The name they log in with."),
        error_messages={"required": _("Enter a username."), "max_length": _("This username is too long.")},
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    role = forms.ChoiceField(
        label=_("Role"),
        choices=MEMBER_ROLES,
        initial=Role.COHOST,
        error_messages={"required": _("Choose a role."), "invalid_choice": _("Choose a role.")},
        widget=forms.RadioSelect,
    )

    def __init__(self, event: Event, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self._event = event

    def add(self) -> Member | None:
        """Add the member and return it, or None if the form has errors."""
        if self.is_valid():
            with show_refusal(self, "name", MemberError):
                return add_member(self._event, self.cleaned_data["name"], Role(self.cleaned_data["role"]))
        return None


@owner_page("GET", "POST")
def members(request: HttpRequest, event: Event) -> HttpResponse:
    asked = request.POST.get("ask", "")
    form = MemberForm(event, request.POST if asked == "add" else None)
    if asked and _handle_post(request, event, form):
        return redirect("console:members", code=event.code)
    rows = event.members.select_related("user").order_by("user__username")
    shown = Paginator(rows, MEMBERS_PER_PAGE).get_page(request.GET.get("page"))
    page = {"event": event, "form": form, "members": shown, "others": ROLE_ACTIONS}
    return render(request, "events/members.html", page)


def _handle_post(request: HttpRequest, event: Event, form: MemberForm) -> bool:
    """Return True if the request is handled, also when the member is gone. False: the form has errors."""
    if request.POST["ask"] != "add":
        if done := _change_member(event, request.POST["ask"], request.POST.get("member", "")):
            log_edit(request, event, *done)
            messages.success(request, gettext("Saved."))
        else:
            text = gettext("Nothing was changed. That person is not on the list any more.")
            messages.warning(request, text)
    elif added := form.add():
        name, role = added.user.get_username(), Role(added.role)
        log_edit(request, event, "member.add", LogText(MEMBER_ADDED[role], {"name": name}))
        messages.success(request, gettext("%(name)s was added.") % {"name": name})
    else:
        return False
    return True


def _change_member(event: Event, asked: str, member: str) -> tuple[str, LogText] | None:
    """Change or remove a member. Returns the audit kind and text, or None if nothing changed."""
    if not member.isdecimal() or len(member) >= MAX_ID_DIGITS:
        return None
    if asked == "remove":
        name = remove_member(event, int(member))
        message = gettext_noop("%(by)s removed %(name)s from the members")
        return ("member.remove", LogText(message, {"name": name})) if name else None
    name = change_member(event, int(member), Role(asked)) if asked in MEMBER_ROLES else ""
    return ("member.change", LogText(ROLE_CHANGED[Role(asked)], {"name": name})) if name else None
