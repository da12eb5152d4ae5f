"""Accounts of people who log in through the server's OpenID Connect provider."""

from typing import Any

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest


class OidcAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """The provider decides who has an identity, so they need no invitation."""
        return bool(settings.SIGNUP != "closed")

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        """Read `email_verified` as providers send it: some send the text "false" instead of a boolean."""
        for address in sociallogin.email_addresses:
            address.verified = str(address.verified).lower() == "true"
        user: User = super().populate_user(request, sociallogin, data)
        return user
