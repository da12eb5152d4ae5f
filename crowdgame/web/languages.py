"""The language of pages and sockets: a cookie, which the language menu sets, or else that of the browser."""

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_from_request, get_supported_language_variant, override

PARAMETER = "locale"
ENGLISH_PATH = "/admin/"


def choose_language(request: HttpRequest, tag: str) -> None:
    """Remember a language in this browser. Pages are in it from the next request on. Ignores unknown tags."""
    with suppress(LookupError):
        vars(request)["chosen_language"] = get_supported_language_variant(tag)


def language_choice(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware before `LocaleMiddleware`: `?locale=` chooses the language. The admin is in English."""

    def middleware(request: HttpRequest) -> HttpResponse:
        choose_language(request, request.GET.get(PARAMETER, ""))
        chosen = vars(request).get("chosen_language")
        cookie = "en" if request.path.startswith(ENGLISH_PATH) else chosen
        if cookie:
            request.COOKIES[settings.LANGUAGE_COOKIE_NAME] = cookie
        with override(settings.LANGUAGE_CODE):  # LocaleMiddleware leaves its language active in the thread
            response = get_response(request)
        patch_vary_headers(response, ("Cookie",))
        if chosen := vars(request).get("chosen_language"):
            response.set_cookie(
                settings.LANGUAGE_COOKIE_NAME,
                chosen,
                max_age=settings.LANGUAGE_COOKIE_AGE,
                secure=settings.LANGUAGE_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return middleware


def connection_language(scope: Any) -> str:
    """Return the language of a WebSocket connection, by its cookie or headers, as for a page."""
    return get_language_from_request(ASGIRequest({**scope, "method": "GET"}, BytesIO()))
