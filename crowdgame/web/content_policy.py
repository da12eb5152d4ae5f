"""Content-Security-Policy (CSP) of the console, the admin and the built pages."""

import base64
import hashlib
import re
from collections.abc import Callable
from functools import wraps
from operator import itemgetter

from django.http import HttpRequest
from django.http.response import HttpResponseBase

INLINE_BLOCK = re.compile(rb"<(script|style)(?:\s[^>]*)?>(.*?)</\1>", re.DOTALL)
CONSOLE_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
# The admin uses Alpine, which evaluates code in attributes and sets inline styles.
ADMIN_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

ViewFunction = Callable[..., HttpResponseBase]


def content_security_policy(page: bytes) -> str:
    """Return the policy of a built page: same-origin resources, and its inline blocks by SHA-256 hash."""
    hashes: dict[bytes, str] = {b"script": "", b"style": ""}
    for kind, block in filter(itemgetter(1), INLINE_BLOCK.findall(page)):
        digest = base64.b64encode(hashlib.sha256(block).digest()).decode()
        hashes[kind] += f" 'sha256-{digest}'"
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        f"script-src 'self'{hashes[b'script']}; style-src 'self'{hashes[b'style']}; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'"
    )


def with_content_policy(view: ViewFunction) -> ViewFunction:
    """Decorator: set the console's policy on the view's response unless it has one."""

    @wraps(view)
    def guarded_view(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        response.headers.setdefault("Content-Security-Policy", CONSOLE_POLICY)
        return response

    return guarded_view
