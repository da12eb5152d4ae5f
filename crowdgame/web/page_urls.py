"""URL helpers: the path converter for event codes, and paths with the console's content policy."""

from django.urls import URLPattern, path, register_converter

from crowdgame.web.content_policy import ViewFunction, with_content_policy


class CodeConverter:
    """Path converter for event codes, case-insensitive. Codes have no vowels, so they match no page name."""

    regex = "[A-Za-z0-9]{4,8}"

    def to_python(self, value: str) -> str:
        return value.upper()

    def to_url(self, value: str) -> str:
        return value


register_converter(CodeConverter, "code")


def page(address: str, view: ViewFunction, name: str) -> URLPattern:
    """Return a URL pattern whose responses have the console's content policy."""
    return path(address, with_content_policy(view), name=name)
