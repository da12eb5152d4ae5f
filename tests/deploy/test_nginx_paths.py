"""nginx limits the logins that Django queues, and hides the links that logs hide."""

import re
from pathlib import Path

from django.conf import settings
from django.contrib.admindocs.views import extract_views_from_urlpatterns
from django.urls import get_resolver

from crowdgame.server.config.log_config import SECRET_PATHS

CONFIGURATION = Path("deploy/server/nginx.conf").read_text()
SECRET_PART = re.compile(r"<(\w+:)?(token|key)>")


def test_nginx_limits_the_login_paths() -> None:
    assert f'"~^POST ({"|".join(settings.LOGIN_PATHS)})" $login_device;' in CONFIGURATION


def test_nginx_logs_no_error_about_links_with_a_secret() -> None:
    assert f"location ~ ^({'|'.join(SECRET_PATHS)}) {{" in CONFIGURATION


def test_every_link_with_a_secret_is_listed() -> None:
    views = extract_views_from_urlpatterns(get_resolver().url_patterns)
    routes = [f"/{route}".replace("/^", "/").replace("?P", "") for _, route, *_ in views]
    secret = [route for route in routes if SECRET_PART.search(route)]
    assert "/play/stop/<str:token>" in secret
    assert [route for route in secret if not route.startswith(SECRET_PATHS)] == []
