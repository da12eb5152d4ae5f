"""The Content Security Policy of all pages that have none of their own."""

from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF


def content_security_policy(provider: str) -> dict[str, Any]:
    """Return the policy. Forms may lead to the OpenID Connect provider, if its address isn't empty."""
    parts = urlsplit(provider)
    return {
        "DIRECTIVES": {
            "default-src": [SELF],
            "img-src": [SELF, "data:"],
            "object-src": [NONE],
            "base-uri": [NONE],
            "form-action": [SELF, f"{parts.scheme}://{parts.netloc}"] if provider else [SELF],
            "frame-ancestors": [NONE],
        }
    }
