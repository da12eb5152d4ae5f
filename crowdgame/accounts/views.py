"""`/play/account` and `/play/login`: a guest's account, for whoever wants the same name on every device."""

from functools import cache, partial
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from redis import RedisError

from crowdgame.accounts import accounts
from crowdgame.accounts.forms import (
    ClaimForm,
    DeleteAccountForm,
    LoginForm,
    NewPasswordForm,
    RenameForm,
)
from crowdgame.accounts.guest_cookie import guest_of, known, unknown
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.lockout import Locked, attempt
from crowdgame.accounts.models import Guest
from games.matches import MatchError
from voting.ballot_box.ballot_box import BallotBox

WRONG = "This name and password do not belong together."
LOCKED = "Tried wrongly too often. The account opens again by itself in {} minutes."
AWAY = "A part of this server does not answer: try again in a moment. Nothing was wrong with what you typed."

ballot_box = cache(BallotBox)


@never_cache
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Whoever has none claims one here."""
    guest = guest_of(request)
    if guest and guest.has_account:
        return account_page(request, guest)
    form = ClaimForm(request.POST or None)
    if form.is_valid():
        guest = guest or new_guest()
        try:
            accounts.claim(guest, form.cleaned_data["name"], form.cleaned_data["password"])
        except accounts.AccountError as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, f"You are {guest} now, on every device on which you log in.")
            return known(redirect("account"), guest)
    return account_page(request, guest, claim=form)


def account_page(request: HttpRequest, guest: Guest | None, **forms: Form) -> HttpResponse:
    """With the forms that were filled in, and what is wrong with them."""
    context: dict[str, Any] = {
        "guest": guest,
        "claim": ClaimForm(),
    }
    if guest and guest.has_account:
        context |= {"rename": RenameForm(initial={"name": guest.name}), "password": NewPasswordForm()}
    status = 400 if any(form.errors for form in forms.values()) else 200
    return render(request, "accounts/account.html", context | forms, status=status)


@never_cache
@require_http_methods(["GET", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """The games of this device's guest come along, and the page says so before."""
    form, here = LoginForm(request.POST or None), guest_of(request)
    if form.is_valid() and (found := _prove(request, form, form.cleaned_data["name"])):
        try:
            sentences = accounts.take_along(here, found) if here else []
        except MatchError as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, " ".join([f"You are {found}.", *sentences]))
            return known(redirect("play"), found)
    context = {"guest": here, "form": form}
    return render(request, "accounts/login.html", context, status=400 if form.errors else 200)


def _prove(request: HttpRequest, form: Form, name: str) -> Guest | None:
    """Whose name and password these are; if nobody's, the form says why."""
    tried = f"guest {accounts.name_key(name)}"
    find = partial(accounts.find_account, name, form.cleaned_data["password"])
    try:
        if found := attempt(request, tried, find):
            return found
        form.add_error(None, WRONG)
    except Locked as lock:
        form.add_error(None, LOCKED.format(lock.minutes))
    except RedisError:
        form.add_error(None, AWAY)
    return None


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """A guest without an account would be lost by it."""
    guest = guest_of(request)
    answer = redirect("play")
    return unknown(answer) if guest and guest.has_account else answer


@require_POST
def change_name(request: HttpRequest) -> HttpResponse:
    guest, form = guest_of(request), RenameForm(request.POST)
    if guest is None or not guest.has_account:
        return redirect("guest_login")
    if form.is_valid():
        try:
            accounts.rename(guest, form.cleaned_data["name"])
        except accounts.AccountError as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, f"In games to come you are {guest}.")
            return redirect("account")
    return account_page(request, guest, rename=form)


@require_POST
def new_password(request: HttpRequest) -> HttpResponse:
    guest, form = guest_of(request), NewPasswordForm(request.POST)
    if guest is None or not guest.has_account:
        return redirect("guest_login")
    if form.is_valid() and _prove(request, form, guest.name):
        accounts.change_password(guest, form.cleaned_data["new_password"])
        messages.success(request, "The password is changed. Other devices have to log in again.")
        return known(redirect("account"), guest)
    return account_page(request, guest, password=form)


@never_cache
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    guest, form = guest_of(request), DeleteAccountForm(request.POST or None)
    if guest is None or not guest.has_account:
        return redirect("guest_login")
    if form.is_valid() and _prove(request, form, guest.name):
        accounts.leave(guest, ballot_box())
        messages.success(request, "The account is deleted.")
        return unknown(redirect("play"))
    context = {"guest": guest, "form": form, "number": f"Guest {guest.number}"}
    return render(request, "accounts/delete.html", context, status=400 if form.errors else 200)
