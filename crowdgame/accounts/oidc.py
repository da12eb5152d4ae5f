"""Accounts of people who log in through the server's OpenID Connect provider."""

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.http import HttpRequest


class OidcAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """The provider decides who has an identity, so they need no invitation."""
        return bool(settings.SIGNUP != "closed")
