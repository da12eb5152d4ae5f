"""`/play/data` and `/console/data/`: people download and delete what is stored about them."""

from functools import cache
from typing import Any, cast

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from crowdgame.accounts.backend import guest_of
from crowdgame.accounts.guest_cookie import clear_guest_cookie, current_guest
from crowdgame.maintenance.personal_data.deletion import DeletionRefused, check_deletion, delete_person
from crowdgame.maintenance.personal_data.export import export
from crowdgame.maintenance.personal_data.tables import Person, load_tables, table_titles
from voting.ballot_box.ballot_box import BallotBox

ballot_box = cache(BallotBox)


@require_http_methods(["GET", "POST"])
def guest_data(request: HttpRequest) -> HttpResponse:
    """The data of this browser's guest. Without one, the page says so."""
    guest = current_guest(request)
    if guest and guest.has_account:
        return _account_data(request, Person(cast(User, request.user), guest))
    return _answer(request, Person(None, guest))


@login_required
@require_http_methods(["GET", "POST"])
def organizer_data(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    return _account_data(request, Person(user, guest_of(user)))


def _account_data(request: HttpRequest, person: Person) -> HttpResponse:
    answer: HttpResponse = reauthentication_required(_answer, allow_get=True)(request, person)
    return answer


def _answer(request: HttpRequest, person: Person) -> HttpResponse:
    """Show the page. POST `ask=download` answers with the archive, `ask=delete` with `sure` deletes."""
    ask = request.POST.get("ask")
    if ask == "download":
        answer = HttpResponse(export(person), content_type="application/zip")
        answer.headers["Content-Disposition"] = 'attachment; filename="crowdgame-data.zip"'
        return answer
    if ask == "delete" and "sure" in request.POST:
        try:
            return _delete(request, person)
        except DeletionRefused as refusal:
            messages.warning(request, str(refusal))
            return redirect(request.path)
    return render(request, "personal_data/page.html", _page(person))


def _page(person: Person) -> dict[str, Any]:
    titles = table_titles()
    page: dict[str, Any] = {"tables": {titles[name]: len(rows) for name, rows in load_tables(person).items()}}
    page |= {"person": person, "guest": person.guest, "player": person.guest}
    if person.user:
        try:
            check_deletion(person.user)
        except DeletionRefused as refusal:
            page["refusal"] = str(refusal)
    return page


def _delete(request: HttpRequest, person: Person) -> HttpResponse:
    delete_person(person, ballot_box())
    if person.user:
        request.user = AnonymousUser()
        logout(request)
    messages.success(request, _("Your data is deleted."))
    return clear_guest_cookie(redirect("play"))
