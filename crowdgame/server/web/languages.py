"""The language of pages and sockets: a cookie, which the language menu sets, or else that of the browser."""

from contextlib import suppress
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import deactivate, get_language_from_request, get_supported_language_variant

PARAMETER = "locale"
ENGLISH_PATH = "/admin/"


def choose_language(request: HttpRequest, tag: str) -> None:
    """Remember a language in this browser. Pages are in it from the next request on. Ignores unknown tags."""
    with suppress(LookupError):
        vars(request)["chosen_language"] = get_supported_language_variant(tag)


def chosen_language(request: HttpRequest) -> str:
    language: str = vars(request).get("chosen_language", "")
    return language


class LanguageChoiceMiddleware(MiddlewareMixin):
    """Before `LocaleMiddleware`: `?locale=` chooses the language. The admin is in English."""

    def process_request(self, request: HttpRequest) -> None:
        choose_language(request, request.GET.get(PARAMETER, ""))
        language = "en" if request.path.startswith(ENGLISH_PATH) else chosen_language(request)
        if language:
            request.COOKIES[settings.LANGUAGE_COOKIE_NAME] = language

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        deactivate()  # LocaleMiddleware leaves its language active in the thread
        patch_vary_headers(response, ("Cookie",))
        if language := chosen_language(request):
            response.set_cookie(
                settings.LANGUAGE_COOKIE_NAME,
                language,
                max_age=settings.LANGUAGE_COOKIE_AGE,
                secure=settings.LANGUAGE_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response


def connection_language(scope: Any) -> str:
    """Return the language of a WebSocket connection, by its cookie or headers, as for a page."""
    return get_language_from_request(ASGIRequest({**scope, "method": "GET"}, BytesIO()))
