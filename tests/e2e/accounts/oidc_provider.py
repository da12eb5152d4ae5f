"""A real OpenID Connect provider (allauth.idp.oidc) with three people, in a process of its own.

python -m tests.e2e.accounts.oidc_provider FOLDER PORT REDIRECT_URL
"""

import sys

import django
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.conf import settings
from django.core.management import call_command
from django.urls import URLPattern, URLResolver, include, path

CLIENT_ID, CLIENT_SECRET, PASSWORD = "crowdgame", "of the client", "correct horse battery"
APPS = ("auth", "contenttypes", "sessions", "messages")
urlpatterns: list[URLPattern | URLResolver] = []


def configure(folder: str) -> None:
    key = generate_private_key(65537, 2048)
    processors = ["template.context_processors.request"]
    processors += ["contrib.auth.context_processors.auth", "contrib.messages.context_processors.messages"]
    settings.configure(
        SECRET_KEY="of the provider",
        DEBUG=True,
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF=__name__,
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/provider.sqlite3"}},
        INSTALLED_APPS=[
            *(f"django.contrib.{app}" for app in APPS),
            *("allauth", "allauth.account", "allauth.idp.oidc"),
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            "allauth.account.middleware.AccountMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {"context_processors": [f"django.{name}" for name in processors]},
            }
        ],
        AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
        ACCOUNT_EMAIL_VERIFICATION="none",
        SESSION_COOKIE_NAME="provider_session",  # cookies don't know ports
        CSRF_COOKIE_NAME="provider_csrf",
        IDP_OIDC_PRIVATE_KEY=key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
    )
    django.setup()
    urlpatterns.append(path("", include("allauth.idp.urls")))
    urlpatterns.append(path("accounts/", include("allauth.account.urls")))


def register(redirect: str) -> None:
    from allauth.account.models import EmailAddress  # noqa: PLC0415  needs the settings
    from allauth.idp.oidc.models import Client  # noqa: PLC0415
    from django.contrib.auth.hashers import make_password  # noqa: PLC0415
    from django.contrib.auth.models import User  # noqa: PLC0415

    client = Client(id=CLIENT_ID, name="Crowdgame", secret=make_password(CLIENT_SECRET), skip_consent=True)
    client.redirect_uris, client.scopes = redirect, "openid\nprofile\nemail"
    client.save()
    for name, is_verified in (("nora", True), ("mallory", True), ("ida", False)):
        user = User.objects.create_user(name, f"{name}@example.org", PASSWORD)
        EmailAddress.objects.create(user=user, email=user.email, verified=is_verified, primary=True)


if __name__ == "__main__":
    folder, port, redirect = sys.argv[1:]
    configure(folder)
    call_command("migrate", verbosity=0)
    register(redirect)
    call_command("runserver", f"127.0.0.1:{port}", use_reloader=False)
