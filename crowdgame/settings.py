"""All settings; safe by default. `crowdgame.server.config.environment` declares their variables."""

from urllib.parse import urlsplit

from crowdgame.server.config import environment as env
from crowdgame.server.config.addresses import (
    ANY_ADDRESS,
    chat_server,
    host_names,
    provider_url,
    public_origin,
    store_url,
)
from crowdgame.server.config.admin_theme import ADMIN_THEME
from crowdgame.server.config.brand import default_logo, lobby_music
from crowdgame.server.config.content_security import content_security_policy
from crowdgame.server.config.database import database
from crowdgame.server.config.log_config import logging_config
from crowdgame.server.config.login import RATE_LIMITS, provider_apps
from crowdgame.server.config.mail_settings import mail_server, sender
from crowdgame.server.laptop.paths import DATA, INSTALLED, PACKAGE, ROOT, SOURCE

BASE_DIR = SOURCE
DATA_DIR = DATA
PAGES_DIR = BASE_DIR / "frontend" / "dist"

DEBUG = env.Addresses.DEBUG
# Without a key, processes that sign or serve refuse to start. Commands that need no key still work.
SECRET_KEY = env.Addresses.SECRET_KEY
SECRET_KEY_FALLBACKS = env.Addresses.SECRET_KEY_FALLBACKS

PUBLIC_URL = public_origin(env.Addresses.PUBLIC_URL)
_public = urlsplit(PUBLIC_URL)
HTTPS = _public.scheme == "https"
SERVER_NAMES = host_names("ALLOWED_HOSTS", ",".join([env.Addresses.ALLOWED_HOSTS, _public.hostname or ""]))
# `crowdgame.server.web.hosts` checks the Host header before Django does. Django doesn't know ANY_ADDRESS.
ALLOWED_HOSTS = ["*"] if ANY_ADDRESS in SERVER_NAMES else SERVER_NAMES
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PUBLIC_URL else []

REDIS_URL = store_url("REDIS_URL", env.Storage.REDIS_URL)
REDIS_TIMEOUT_S = 2.0
BALLOT_BOX_URL = store_url("BALLOT_BOX_URL", env.Storage.BALLOT_BOX_URL or REDIS_URL, may_be_cluster=True)
MAX_SHARDS = env.Storage.MAX_SHARDS
EVENT_PHONES = env.Gateways.EVENT_PHONES
OUTAGE_EXTENSION_S = env.Gateways.OUTAGE_EXTENSION_S
TRUSTED_PROXIES = env.Gateways.TRUSTED_PROXIES
# Pages that accept bodies of up to 1 MiB: class lists, logos and cups. All others accept 64 KiB.
UPLOAD_PATHS = r"/console/(?:[^/]+/tickets|[^/]+/branding|cups/new|cups/[^/]+/edit)/"
CONSOLE_RECHECK_S = env.Gateways.CONSOLE_RECHECK_S

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",  # for the list of sessions
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "channels",
    "crowdgame",
    "voting",
    "crowdgame.accounts",
    "crowdgame.events",
    "crowdgame.play.duels",
    "crowdgame.play.ratings",
    "crowdgame.play.notifications",
    "crowdgame.play.chat",
    "crowdgame.play.puzzles",
    "crowdgame.organizer.api",
    "crowdgame.organizer.cups",
    "crowdgame.results.analysis",
]
# First, so that error responses have the security headers too. Cached pages get theirs from here as well.
SECURITY_MIDDLEWARE = [
    "crowdgame.server.web.content_policy.ContentPolicyMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "crowdgame.server.web.private_pages.PrivatePagesMiddleware",
]
MIDDLEWARE = [
    *SECURITY_MIDDLEWARE,
    "django.contrib.sessions.middleware.SessionMiddleware",
    "crowdgame.server.web.languages.LanguageChoiceMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "crowdgame.accounts.known_devices.KnownDeviceMiddleware",
    "crowdgame.server.web.errors.StoreUnavailableMiddleware",
]
ROOT_URLCONF = "crowdgame.urls"
ASGI_APPLICATION = "crowdgame.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PACKAGE / "templates"],  # searched before the admin's templates
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {"moments": "crowdgame.server.web.moments"},
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "crowdgame.accounts.context.account_settings",
            ],
        },
    }
]

DATABASES = {"default": database(env.Storage.DATABASE_URL, DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {
            "hosts": [
                {"address": REDIS_URL, "socket_timeout": None, "socket_connect_timeout": REDIS_TIMEOUT_S}
            ],
            "prefix": "crowdgame",
        },
    }
}

CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "global_keyprefix": "crowdgame:celery:",
    "socket_connect_timeout": REDIS_TIMEOUT_S,
    "socket_timeout": 10,
}
# The queue of the deadline has Celery's default name: processes of earlier versions use it during an upgrade.
TURNS_QUEUE, BACKGROUND_QUEUE, WEBHOOK_QUEUE = "celery", "background", "webhooks"
# A worker without --queues consumes all.
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {TURNS_QUEUE: {}, BACKGROUND_QUEUE: {}, WEBHOOK_QUEUE: {}}
CELERY_TASK_DEFAULT_QUEUE = BACKGROUND_QUEUE
CELERY_TASK_ROUTES = {
    "voting.close_*": {"queue": TURNS_QUEUE},
    "webhooks.*": {"queue": WEBHOOK_QUEUE},
    "push.*": {"queue": WEBHOOK_QUEUE},
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_DB_REUSE_MAX = 1_000  # tasks; after a failed task the connection is closed at once (see celery.py)

UNFOLD = ADMIN_THEME

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", "English"),
    ("ar", "العربية"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("pt", "Português"),
    ("zh-hans", "中文"),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [("", PAGES_DIR / "static")] if (PAGES_DIR / "static").is_dir() else []
if INSTALLED:
    STATICFILES_DIRS.append(("app", ROOT / "games" / "solver" / "weights"))  # of the server and of /verify

# E-mail needs a mail server and a public URL for its links. Otherwise the site asks nobody for an address.
EMAIL_ENABLED = bool(env.Mail.EMAIL_URL and PUBLIC_URL)
EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, EMAIL_USE_TLS, EMAIL_USE_SSL = mail_server(
    env.Mail.EMAIL_URL
)
EMAIL_TIMEOUT = 5
DEFAULT_FROM_EMAIL = sender(env.Mail.MAIL_FROM, _public.hostname or "localhost")

LOGIN_URL = "/console/login/"
LOGIN_REDIRECT_URL = "/console/"
LOGOUT_REDIRECT_URL = "/console/login/"
# Forms that check or set a password. A gateway admits a few at a time, see `crowdgame.server.web.page_queue`.
LOGIN_PATHS = (
    "/console/login",
    "/console/signup",
    "/console/password",
    "/console/reauthenticate",
    "/console/2fa",
    "/play/login",
    "/play/account",
)
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
AUTHENTICATION_BACKENDS = ["crowdgame.accounts.backend.AccountBackend"]
PASSWORD_HASHERS = ["crowdgame.accounts.password_hashing.LimitedPBKDF2Hasher"]
SIGNUP = env.Addresses.SIGNUP
ACCOUNT_ADAPTER = "crowdgame.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "crowdgame.accounts.forms.LoginForm",
    "reset_password": "crowdgame.accounts.forms.ResetPasswordForm",
    "signup": "crowdgame.accounts.signup_form.SignupForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if EMAIL_ENABLED else "email", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_ENABLED else "none"
ACCOUNT_EMAIL_NOTIFICATIONS = EMAIL_ENABLED
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
ACCOUNT_LOGOUT_REDIRECT_URL = LOGOUT_REDIRECT_URL
ACCOUNT_SESSION_REMEMBER = True  # for SESSION_COOKIE_AGE
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # before a change of the account
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_RATE_LIMITS = RATE_LIMITS
# Login through the OpenID Connect provider of a school or company. By default, nobody gets an existing
# account only because the provider names its address.
OIDC_URL = provider_url(env.OpenId.OIDC_URL)
OIDC_NAME = env.OpenId.OIDC_NAME or urlsplit(OIDC_URL).hostname
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": provider_apps(OIDC_URL, OIDC_NAME)}
}
SOCIALACCOUNT_ADAPTER = "crowdgame.accounts.oidc.OidcAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
USERSESSIONS_TRACK_ACTIVITY = False
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Crowdgame"
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS  # browsers allow it on localhost only
MFA_RATE_LIMITS = {"webauthn_login": None}
MFA_ALLOW_UNVERIFIED_EMAIL = True
CACHES = {
    "local": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "crowdgame",
        "OPTIONS": {
            "pool_class": "crowdgame.server.config.cache_pool.SharedPool",
            "socket_timeout": REDIS_TIMEOUT_S,
            "socket_connect_timeout": REDIS_TIMEOUT_S,
        },
    },
}

SESSION_COOKIE_AGE = 12 * 3600
GUEST_COOKIE_AGE = 400 * 24 * 3600  # the longest that browsers keep a cookie
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
# The __Host- prefix: browsers reject the cookie if a sibling domain sets it, or if it comes over plain HTTP.
_PREFIX = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{_PREFIX}sessionid"
CSRF_COOKIE_NAME = f"{_PREFIX}csrftoken"
SECURE_HSTS_SECONDS = env.Addresses.HSTS_SECONDS if HTTPS else 0
CONTENT_SECURITY_POLICY = content_security_policy(OIDC_URL)
# The pages need no browser features except full screen and the screen wake lock.
UNUSED_FEATURES = "camera display-capture geolocation microphone midi payment serial usb"
PERMISSIONS_POLICY: dict[str, list[str]] = {feature: [] for feature in UNUSED_FEATURES.split()}

LOG_FORMAT = env.Monitoring.LOG_FORMAT
LOGGING = logging_config(LOG_FORMAT, env.Monitoring.LOG_LEVEL)

METRICS_TOKEN = env.Monitoring.METRICS_TOKEN
METRICS_HOST = env.Monitoring.METRICS_HOST
METRICS_PORT = env.Monitoring.METRICS_PORT

BRAND_LINE = env.Branding.BRAND_LINE
BRAND_LOGO, BRAND_LOGO_KEY = default_logo(env.Branding.BRAND_LOGO)
LOBBY_MUSIC = lobby_music(env.Branding.LOBBY_MUSIC)

WEBHOOKS = env.Features.WEBHOOKS
# Push notifications go out like webhooks. Browsers allow them on secure pages only.
# Only to these services of browsers' makers, because any voter names an address.
PUSH_SERVICES = host_names("PUSH_SERVICES", env.Features.PUSH_SERVICES) or [
    "fcm.googleapis.com",
    "push.services.mozilla.com",
    "push.apple.com",
    "notify.windows.com",
]
PUSH_ENABLED = WEBHOOKS != "off" and (HTTPS or _public.hostname in ("localhost", "127.0.0.1"))

CHAT = env.Features.CHAT
# Host and port of the server of Twitch chats, and whether it uses TLS.
TWITCH_CHAT = chat_server(env.Features.TWITCH_CHAT_URL)
CHAT_DAYS = env.Features.CHAT_DAYS
RETENTION_DAYS = env.Features.RETENTION_DAYS
DUEL_DAYS = env.Features.DUEL_DAYS
