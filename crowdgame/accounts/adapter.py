"""How django-allauth treats accounts: who may sign up, wrong passwords, links in e-mails."""

import unicodedata
from typing import Any, cast
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailConfirmationMixin
from allauth.account.stages import EmailVerificationStage
from allauth.account.utils import filter_users_by_email, filter_users_by_username
from allauth.core import context as allauth_context
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import get_language, override
from django.utils.translation import gettext_lazy as _

from crowdgame.accounts.account_language import language_of
from crowdgame.accounts.accounts import find_username
from crowdgame.accounts.backend import guest_of
from crowdgame.accounts.invitations import find_open_invitation
from crowdgame.accounts.known_devices import read_known_user
from crowdgame.accounts.password_hashing import hashing_turn
from crowdgame.accounts.queued_mail import queue_mail
from crowdgame.server.config.email_addresses import validate_address
from voting.ballot_box.stores import STORE_ERRORS

WRONG_PASSWORD = _("Wrong name or password. Passwords are case-sensitive.")
LOCKED = _(
    "Too many failed attempts. Try again in 15 minutes; trying sooner doesn't extend the wait. "
    "To log in now, ask the server's administrator for a login link."
)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": WRONG_PASSWORD,
        "username_password_mismatch": WRONG_PASSWORD,
        "too_many_login_attempts": LOCKED,
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether this browser may create an account (see SIGNUP)."""
        return settings.SIGNUP == "open" or (
            settings.SIGNUP == "invitation" and find_open_invitation(request) is not None
        )

    def clean_email(self, email: str) -> str:
        if email:
            validate_address(email)
        return email

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Check a password while no other one is checked. The attempt counts before its password is hashed.

        An attempt whose password could not be checked does not count. Raises ServerBusy, and ValidationError
        during a lockout.
        """
        if typed := credentials.get("username"):
            credentials["username"] = find_username(typed)
        with hashing_turn():
            try:
                user: User | None = super().authenticate(request, **credentials)
            except STORE_ERRORS:
                self._rollback_login_failed_rl_usage()
                raise
        return user

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count by name alone, on the account's known devices apart: strangers cannot lock it there.

        The original adds the Host header, which a client can vary to get more attempts.
        """
        typed = credentials.get("email") or credentials.get("username") or ""
        name = unicodedata.normalize("NFKC", typed).strip().casefold()
        user_id = read_known_user(request.COOKIES)
        is_own = user_id and user_id in {str(user.pk) for user in self._named_users(name)}
        return f"{name} {user_id}" if is_own else name

    def _named_users(self, name: str) -> list[User]:
        return [*filter_users_by_username(name), *filter_users_by_email(name)]

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Guests play, organizers see their events."""
        if guest_of(cast(User, request.user)):
            return reverse("play")
        return str(super().get_login_redirect_url(request))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Let a worker send an e-mail, unless the server sends none."""
        if settings.EMAIL_ENABLED:
            site = {"name": urlsplit(settings.PUBLIC_URL).netloc}
            shared = {"request": allauth_context.request, "email": email, "current_site": site}
            account = context.get("user")
            with override((account and language_of(account)) or get_language()):
                queue_mail(self.render_mail(template_prefix, email, shared | context))

    def get_email_confirmation_url(
        self, request: HttpRequest, emailconfirmation: EmailConfirmationMixin
    ) -> str:
        """A link to PUBLIC_URL, whatever Host header the request has."""
        return settings.PUBLIC_URL + reverse("account_confirm_email", args=[emailconfirmation.key])

    def get_reset_password_from_key_url(self, key: str) -> str:
        uid, _, token = key.partition("-")
        return settings.PUBLIC_URL + reverse("account_reset_password_from_key", args=[uid, token])

    def get_login_stages(self) -> list[str]:
        own = f"{ConfirmAddressStage.__module__}.{ConfirmAddressStage.__name__}"
        replaced = "allauth.account.stages.EmailVerificationStage"
        return [own if stage == replaced else stage for stage in super().get_login_stages()]


class ConfirmAddressStage(EmailVerificationStage):  # type: ignore[misc]
    """Asks only people with an address to confirm it. Administrators may create organizers without one."""

    def handle(self) -> tuple[HttpResponse | None, bool]:
        user = self.login.user
        if user is not None and not user.emailaddress_set.exists():
            return None, True
        handled: tuple[HttpResponse | None, bool] = super().handle()
        return handled
