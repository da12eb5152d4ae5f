"""`/play/account` and `/play/login`: guest accounts, for the same name on every device."""

from typing import Any

from allauth.account.views import LoginView, SignupView
from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from crowdgame.accounts import accounts
from crowdgame.accounts.forms import GuestSignupForm, RenameForm
from crowdgame.accounts.guest_cookie import cookie_guest, current_guest
from crowdgame.accounts.models import Guest
from crowdgame.server.web.errors import show_refusal


class CreateAccountView(SignupView):  # type: ignore[misc]
    template_name = "accounts/create_account.html"

    def get_form_class(self) -> type[GuestSignupForm]:
        return GuestSignupForm

    def is_open(self) -> bool:
        """Guests may always create an account; SIGNUP is about organizers."""
        return True

    def form_valid(self, form: GuestSignupForm) -> HttpResponse:
        with show_refusal(form, "username", accounts.AccountError):
            response: HttpResponse = super().form_valid(form)
            name = form.cleaned_data["username"]
            text = _("Account created. Log in as %(name)s on your other devices.") % {"name": name}
            messages.success(self.request, text)
            return response
        return self.form_invalid(form)

    def form_invalid(self, form: GuestSignupForm) -> HttpResponse:
        return account_page(self.request, cookie_guest(self.request), form=form)

    def get_success_url(self) -> str:
        return reverse("account")

    def get_authenticated_redirect_url(self) -> str:
        """Organizers are logged in but no players. The account page would lead here again."""
        return reverse("play")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(guest=cookie_guest(self.request), **kwargs)
        return context


class GuestLoginView(LoginView):  # type: ignore[misc]
    """The login form of `/play`. Every account can log in here."""

    template_name = "accounts/login.html"

    def form_invalid(self, form: Form) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)
        response.status_code = 400
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(guest=cookie_guest(self.request), **kwargs)
        return context


@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show the account, or the form that creates one."""
    guest = current_guest(request)
    if guest and guest.has_account:
        return account_page(request, guest)
    created: HttpResponse = CreateAccountView.as_view()(request)
    return created


def account_page(request: HttpRequest, guest: Guest | None, **forms: Form) -> HttpResponse:
    """Render the account page. `forms` are submitted forms, by context name; their errors set status 400."""
    context: dict[str, Any] = {"guest": guest}
    if guest and guest.has_account:
        template, context["rename"] = "accounts/account.html", RenameForm(initial={"name": guest.name})
    else:
        template, context["form"] = "accounts/create_account.html", GuestSignupForm()
    status = 400 if any(form.errors for form in forms.values()) else 200
    return render(request, template, context | forms, status=status)


@require_POST
def change_name(request: HttpRequest) -> HttpResponse:
    guest, form = current_guest(request), RenameForm(request.POST)
    if guest is None or not guest.has_account:
        return redirect("guest_login")
    if form.is_valid():
        with show_refusal(form, "name", accounts.AccountError):
            accounts.rename(guest, form.cleaned_data["name"])
            messages.success(
                request, _("Name changed. Your games now show you as %(name)s.") % {"name": guest}
            )
            return redirect("account")
    return account_page(request, guest, rename=form)
