"""Settings and URLs of an OpenID Connect provider, which runs in a process of its own (allauth.idp.oidc)."""

import os
from typing import Any

SECRET_KEY = "of the provider"
DEBUG = True
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = __name__
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["PROVIDER_DATABASE"]}}
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "allauth",
    "allauth.account",
    "allauth.idp.oidc",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_EMAIL_VERIFICATION = "none"
SESSION_COOKIE_NAME = "provider_session"  # cookies don't know ports
CSRF_COOKIE_NAME = "provider_csrf"
IDP_OIDC_PRIVATE_KEY = os.environ["PROVIDER_KEY"]


def _urlpatterns() -> list[Any]:
    from django.urls import include, path  # noqa: PLC0415  settings must not import URLs

    return [path("", include("allauth.idp.urls")), path("accounts/", include("allauth.account.urls"))]


def __getattr__(name: str) -> Any:
    if name == "urlpatterns":
        return _urlpatterns()
    raise AttributeError(name)
