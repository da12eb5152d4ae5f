"""The language of an account: of its e-mails, and of the pages after a login on another device."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext, override
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from crowdgame.accounts.models import AccountLanguage
from crowdgame.server.web.languages import choose_language


class LanguageForm(forms.Form):
    language = forms.ChoiceField(
        label=_("Language"),
        choices=settings.LANGUAGES,
        help_text=_("For the pages after you log in, and for e-mails to you."),
    )


@login_required
@require_http_methods(["GET", "POST"])
def account_language(request: HttpRequest) -> HttpResponse:
    """Show and change the account's language."""
    user = cast(User, request.user)
    shown = {"language": language_of(user) or get_language()}
    form = LanguageForm(request.POST or None, initial=shown, label_suffix="")
    if not form.is_valid():
        return render(request, "accounts/language.html", {"form": form}, status=400 if form.errors else 200)
    language = form.cleaned_data["language"]
    AccountLanguage.objects.update_or_create(user=user, defaults={"language": language})
    choose_language(request, language)
    with override(language):
        messages.success(request, gettext("Saved."))
    return redirect("account_language")


def language_of(user: User) -> str:
    """Return the language chosen for an account, or an empty string."""
    return AccountLanguage.objects.filter(user=user).values_list("language", flat=True).first() or ""


def receive_login(request: HttpRequest | None, user: User, **_signal: Any) -> None:
    """Show the pages in the account's language from now on in this browser."""
    if request and (language := language_of(user)):
        choose_language(request, language)
