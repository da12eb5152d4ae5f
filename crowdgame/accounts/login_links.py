"""Login links (magic links): single-use, valid for two hours."""

from allauth.account.utils import perform_login
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes, force_str
from django.utils.http import base36_to_int, urlsafe_base64_decode, urlsafe_base64_encode
from django.views.decorators.http import require_http_methods

LINK_MAX_AGE_S = 2 * 3600


class LoginLinkTokens(PasswordResetTokenGenerator):
    """Signed tokens that any login of the user invalidates, because the time of the last login is signed."""

    key_salt = "crowdgame.accounts.LoginLinkTokens"

    def check_token(self, user: User | None, token: str | None) -> bool:
        if not user or not token or not super().check_token(user, token):
            return False
        made_at = base36_to_int(token.split("-")[0])
        return self._num_seconds(self._now()) - made_at <= LINK_MAX_AGE_S

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        """Add the last login with its microseconds.

        Django drops them, so a link would work twice within a second.
        """
        last = user.last_login.isoformat() if user.last_login else ""
        return f"{super()._make_hash_value(user, timestamp)}{last}"


login_link_tokens = LoginLinkTokens()


def login_link_path(user: User, code: str = "") -> str:
    """Return the path that logs `user` in. With an event's code, it leads on to that event's console."""
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    token = login_link_tokens.make_token(user)
    return f"/console/enter/{uid}/{token}/" + (f"{code}/" if code else "")


def find_link_user(uid: str, token: str) -> User | None:
    """Return the user that the link logs in, or None if it is used, expired or invalid."""
    try:
        user = User.objects.get(pk=int(force_str(urlsafe_base64_decode(uid))), is_active=True)
    except (ValueError, OverflowError, User.DoesNotExist):
        return None
    return user if login_link_tokens.check_token(user, token) else None


def spend_link(user: User) -> bool:
    """Invalidate the user's links by a compare-and-set on the last login.

    Returns True to one of several concurrent callers.
    """
    unspent = User.objects.filter(pk=user.pk, last_login=user.last_login)
    return unspent.update(last_login=timezone.now()) == 1


@require_http_methods(["GET", "POST"])
def log_in_by_link(request: HttpRequest, uid: str, token: str, code: str = "") -> HttpResponse:
    """Show a button; only its POST spends the link. Link previews and mail scanners just fetch the page.

    The link replaces the password, not the second factor. Responds with status 410 if the link is used,
    expired or invalid.
    """
    user = find_link_user(uid, token)
    if user and request.method == "POST" and spend_link(user):
        path = reverse("console:event", args=[code]) if code else reverse("console:events")
        logged_in: HttpResponse = perform_login(request, user, email_verification="none", redirect_url=path)
        return logged_in
    status = 200 if user and request.method == "GET" else 410
    return render(request, "accounts/login_link.html", {"entrant": user}, status=status)
