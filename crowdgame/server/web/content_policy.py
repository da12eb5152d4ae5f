"""Content-Security-Policy (CSP) of the admin, of built pages and of pages without forms.

All other pages have CONTENT_SECURITY_POLICY from the settings.
"""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from operator import itemgetter

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware, PolicyParts
from csp.utils import build_policy
from django.http import HttpRequest
from django.http.response import HttpResponseBase

INLINE_BLOCK = re.compile(rb"<(script|style)(?:\s[^>]*)?>(.*?)</\1>", re.DOTALL)
# The admin uses Alpine, which evaluates code in attributes and sets inline styles.
ADMIN_SOURCES = {"script-src": [SELF, UNSAFE_EVAL], "style-src": [SELF, UNSAFE_INLINE]}


class ContentPolicyMiddleware(CSPMiddleware):
    """Sets the policy of responses that have none, in the admin with ADMIN_SOURCES."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if request.path_info.startswith("/admin/"):
            parts.update = ADMIN_SOURCES
        return parts


def strict_policy(sources: Mapping[str, Sequence[str]]) -> str:
    """Return the policy of a page without forms, which loads only from the given sources.

    No page may frame it, unless `sources` has `frame-ancestors`.
    """
    closed = dict.fromkeys(("default-src", "base-uri", "form-action", "frame-ancestors"), NONE)
    return build_policy({**closed, **sources})


def hash_source(block: bytes) -> str:
    """Return the source that allows an inline block."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(block).digest()).decode()}'"


def built_page_policy(page: bytes, **more: Sequence[str]) -> str:
    """Return the policy of a built page: same-origin resources, and its inline blocks by SHA-256 hash.

    `more` are further directives, such as `frame_src`.
    """
    allowed = {b"script": [SELF], b"style": [SELF]}
    for kind, block in filter(itemgetter(1), INLINE_BLOCK.findall(page)):
        allowed[kind].append(hash_source(block))
    return strict_policy(
        {
            "script-src": allowed[b"script"],
            "style-src": allowed[b"style"],
            "img-src": [SELF, "data:"],
            "font-src": [SELF],
            "connect-src": [SELF],
            **{name.replace("_", "-"): sources for name, sources in more.items()},
        }
    )
