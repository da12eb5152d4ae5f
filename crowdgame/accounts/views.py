"""`/play/account` and `/play/login`: guest accounts, for the same name on every device."""

from functools import cache, partial
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from crowdgame.accounts import accounts
from crowdgame.accounts.forms import (
    CreateAccountForm,
    DeleteAccountForm,
    LoginForm,
    NewPasswordForm,
    RenameForm,
)
from crowdgame.accounts.guest_attempts import AccountLocked, attempt_login
from crowdgame.accounts.guest_cookie import clear_guest_cookie, current_guest, set_guest_cookie
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.accounts.password_hashing import hashing_turn
from crowdgame.web.errors import show_refusal
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError

WRONG_PASSWORD_TEXT = "Wrong name or password."  # noqa: S105

ballot_box = cache(BallotBox)


@never_cache
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show the account, or the form that creates one."""
    guest = current_guest(request)
    if guest and guest.has_account:
        return account_page(request, guest)
    form = CreateAccountForm(request.POST or None)
    if form.is_valid():
        with show_refusal(form, "name", accounts.AccountError), hashing_turn():
            guest = guest or new_guest()
            accounts.create_account(guest, form.cleaned_data["name"], form.cleaned_data["password"])
            messages.success(request, f"Account created. Log in as {guest} on your other devices.")
            return set_guest_cookie(redirect("account"), guest)
    return account_page(request, guest, create_account=form)


def account_page(request: HttpRequest, guest: Guest | None, **forms: Form) -> HttpResponse:
    """Render the account page. `forms` are submitted forms, by context name; their errors set status 400."""
    context: dict[str, Any] = {
        "guest": guest,
        "create_account": CreateAccountForm(),
    }
    if guest and guest.has_account:
        context |= {"rename": RenameForm(initial={"name": guest.name}), "password": NewPasswordForm()}
    status = 400 if any(form.errors for form in forms.values()) else 200
    return render(request, "accounts/account.html", context | forms, status=status)


@never_cache
@require_http_methods(["GET", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """Log in to a guest account.

    Unfinished games of this device's guest move to the account; the page says so.
    """
    form, here = LoginForm(request.POST or None), current_guest(request)
    if form.is_valid() and (found := _authenticate(request, form, form.cleaned_data["name"])):
        with show_refusal(form, None, MatchError):
            sentences = accounts.transfer_games(here, found) if here else []
            messages.success(request, " ".join([f"You are logged in as {found}.", *sentences]))
            return set_guest_cookie(redirect("play"), found)
    context = {"guest": here, "form": form}
    return render(request, "accounts/login.html", context, status=400 if form.errors else 200)


def _authenticate(request: HttpRequest, form: Form, name: str) -> Guest | None:
    """Return the account with this name and password. Otherwise add the error to the form and return None."""
    tried = f"guest {accounts.name_key(name)}"
    find = partial(accounts.check_credentials, name, form.cleaned_data["password"])
    with show_refusal(form, None, AccountLocked):
        if found := attempt_login(request, tried, find):
            return found
        form.add_error(None, WRONG_PASSWORD_TEXT)
    return None


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """Clear the cookie of an account.

    A guest without an account keeps it: nothing could bring that guest back.
    """
    guest = current_guest(request)
    answer = redirect("play")
    return clear_guest_cookie(answer) if guest and guest.has_account else answer


@require_POST
def change_name(request: HttpRequest) -> HttpResponse:
    guest, form = current_guest(request), RenameForm(request.POST)
    if guest is None or not guest.has_account:
        return redirect("guest_login")
    if form.is_valid():
        with show_refusal(form, "name", accounts.AccountError):
            accounts.rename(guest, form.cleaned_data["name"])
            messages.success(request, f"Name changed. New games show you as {guest}.")
            return redirect("account")
    return account_page(request, guest, rename=form)


@require_POST
def new_password(request: HttpRequest) -> HttpResponse:
    guest, form = current_guest(request), NewPasswordForm(request.POST)
    if guest is None or not guest.has_account:
        return redirect("guest_login")
    if form.is_valid() and _authenticate(request, form, guest.name):
        accounts.change_password(guest, form.cleaned_data["new_password"])
        messages.success(request, "Password changed. Log in again on your other devices.")
        return set_guest_cookie(redirect("account"), guest)
    return account_page(request, guest, password=form)


@never_cache
@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    guest, form = current_guest(request), DeleteAccountForm(request.POST or None)
    if guest is None or not guest.has_account:
        return redirect("guest_login")
    if form.is_valid() and _authenticate(request, form, guest.name):
        accounts.delete_account(guest, ballot_box())
        messages.success(request, "Account deleted.")
        return clear_guest_cookie(redirect("play"))
    context = {"guest": guest, "form": form, "number": f"Guest {guest.number}"}
    return render(request, "accounts/delete.html", context, status=400 if form.errors else 200)
