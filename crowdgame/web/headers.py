"""Security headers of every response: Django's, its error pages, and cached pages."""

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from crowdgame.web.content_policy import ADMIN_POLICY, CONSOLE_POLICY

# Permissions-Policy. The pages need no browser features except full screen and the screen wake lock.
DENIED_FEATURES = (
    "camera",
    "display-capture",
    "geolocation",
    "microphone",
    "midi",
    "payment",
    "serial",
    "usb",
)
PERMISSIONS_POLICY = ", ".join(f"{name}=()" for name in DENIED_FEATURES)
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": PERMISSIONS_POLICY,
}
if settings.SECURE_HSTS_SECONDS:
    SECURITY_HEADERS["Strict-Transport-Security"] = f"max-age={settings.SECURE_HSTS_SECONDS}"


def encoded_security_headers() -> list[tuple[bytes, bytes]]:
    """Return the security headers as ASGI header pairs: lower-case names, bytes."""
    return [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]


@sync_and_async_middleware
def security_headers_middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Add the security headers. Must be the first middleware, so that it covers error responses too."""
    if iscoroutinefunction(get_response):
        ask: Callable[[HttpRequest], Awaitable[HttpResponseBase]] = get_response

        async def answer_later(request: HttpRequest) -> HttpResponseBase:
            return _add_security_headers(request, await ask(request))

        return answer_later

    def answer(request: HttpRequest) -> HttpResponseBase:
        return _add_security_headers(request, get_response(request))

    return answer


def _add_security_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    policy = ADMIN_POLICY if request.path_info.startswith("/admin/") else CONSOLE_POLICY
    for name, value in {"Content-Security-Policy": policy, **SECURITY_HEADERS}.items():
        response.headers.setdefault(name, value)
    return response
