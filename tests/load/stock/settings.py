"""Settings of the stock app: only what its sockets need."""

import os

SECRET_KEY = "of the stock app, which signs nothing"
ALLOWED_HOSTS = ["*"]
REDIS_URL = os.environ["REDIS_URL"]
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "channels"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
ASGI_APPLICATION = "tests.load.stock.asgi.application"
# redis-py 8 would otherwise give up on an idle consumer's blocking read after 5 s.
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": None}]},
    }
}
