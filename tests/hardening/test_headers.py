"""Every URL sends the security headers, whatever its status."""

import re
from collections.abc import Iterator

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth.models import User
from django.test import AsyncClient, Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern
from django.utils.module_loading import import_string

from crowdgame.web.headers import encoded_security_headers, security_headers_middleware
from games.matches import create_event

pytestmark = pytest.mark.django_db

ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
}
CLOSED = ("frame-ancestors 'none'", "base-uri 'none'", "form-action '")
FILLED = {"code": "", "int": "1", "str": "x", "path": "1", "slug": "x"}
EXTRA_PATHS = ["/nothing", "/admin/nothing/", "/admin/games/", "/console/nothing/at/all/"]


def addresses(code: str) -> list[str]:
    return sorted({*_walk(get_resolver(), "/", FILLED | {"code": code}), *EXTRA_PATHS})


def _walk(resolver: URLResolver, before: str, filled: dict[str, str]) -> Iterator[str]:
    for entry in resolver.url_patterns:
        if not isinstance(entry.pattern, RoutePattern):
            continue
        route = re.sub(
            r"<(?:(\w+):)?\w+>", lambda part: filled.get(part[1] or "str", "x"), str(entry.pattern)
        )
        if isinstance(entry, URLPattern):
            yield before + route
        else:
            yield from _walk(entry, before + route, filled)


@pytest.fixture
def code() -> str:
    return create_event(User.objects.create_superuser("root", password="root"), "Gala", ("A", "B")).code


def check(address: str, headers: dict[str, str]) -> None:
    values = {name.lower(): value for name, value in headers.items()}
    assert ALWAYS.items() <= values.items(), address
    assert all(part in values["content-security-policy"] for part in CLOSED), address
    assert "unsafe-inline" not in values["content-security-policy"].partition("style-src")[0], address
    assert "camera=()" in values["permissions-policy"], address
    assert values["referrer-policy"] in {"same-origin", "no-referrer"}, address


def test_headers_are_sent_by_every_url(code: str, client: Client) -> None:
    walked = addresses(code)
    assert {"/console/", f"/console/{code}/edit/", "/admin/auth/user/", "/admin/login/"} <= set(walked)
    for user in (None, User.objects.get()):
        if user:
            client.force_login(user)
        for address in walked:
            for answer in (client.get(address), client.post(address, {})):
                check(f"{answer.status_code} {address}", dict(answer.headers))
            if user and "logout" in address:
                client.force_login(user)


def test_headers_are_sent_with_errors(code: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    for status, answer in (
        (403, strict.post("/console/login/", {})),
        (400, strict.get("/console/login/", headers={"host": "elsewhere.example"})),
        (404, strict.get("/nothing")),
    ):
        assert answer.status_code == status
        check(str(status), dict(answer.headers))


def test_headers_are_sent_under_asgi() -> None:
    answer = async_to_sync(AsyncClient().get)("/console/login/")
    check("login", dict(answer.headers))


def test_middleware_is_async_capable() -> None:
    """Sync-only middleware holds a thread per request, and Daphne waits for it at shutdown."""
    assert (
        settings.MIDDLEWARE[0]
        == f"{security_headers_middleware.__module__}.{security_headers_middleware.__name__}"
    )
    assert [name for name in settings.MIDDLEWARE if not import_string(name).async_capable] == []


def test_headers_of_cached_pages_match_django_responses() -> None:
    values = {name.decode(): value.decode() for name, value in encoded_security_headers()}
    django = dict(Client().get("/console/login/").headers)
    for name, value in values.items():
        assert {header.lower(): text for header, text in django.items()}[name] == value
