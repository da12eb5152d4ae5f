"""The sources in a page's content security policy, and the hashes of its inline blocks."""

import base64
import hashlib
import re


def hashes_of(page: bytes) -> dict[str, set[str]]:
    """The hashes of the inline scripts and styles, as a browser computes them."""
    found: dict[str, set[str]] = {"script": set(), "style": set()}
    for kind, block in re.findall(rb"<(script|style)\b[^>]*>(.*?)</\1>", page, re.DOTALL):
        if block:
            digest = base64.b64encode(hashlib.sha256(block).digest()).decode()
            found[kind.decode()].add(f"'sha256-{digest}'")
    return found


def sources(policy: str) -> dict[str, set[str]]:
    directives = (directive.split() for directive in policy.split(";"))
    return {name: set(values) for name, *values in directives}
