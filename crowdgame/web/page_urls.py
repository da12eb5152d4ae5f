"""Paths of pages: the converter for event codes, and pages with the console's content policy."""

from django.urls import URLPattern, path, register_converter

from crowdgame.web.content_policy import ViewFunction, with_content_policy


class CodeConverter:
    """An event's code. It has no vowels, so it is never one of the site's own words."""

    regex = "[A-Za-z0-9]{4,8}"

    def to_python(self, value: str) -> str:
        return value.upper()

    def to_url(self, value: str) -> str:
        return value


register_converter(CodeConverter, "code")


def page(address: str, view: ViewFunction, name: str) -> URLPattern:
    """A page of the console, with its content policy."""
    return path(address, with_content_policy(view), name=name)
