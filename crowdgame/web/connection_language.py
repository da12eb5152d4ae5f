"""The language of a WebSocket connection."""

from io import BytesIO
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.utils.translation import get_language_from_request


def connection_language(scope: Any) -> str:
    """Return the language of a WebSocket connection, by its cookie or headers, as for a page."""
    return get_language_from_request(ASGIRequest({**scope, "method": "GET"}, BytesIO()))
