"""The path converter for event codes."""

from django.urls import register_converter


class CodeConverter:
    """Path converter for event codes, case-insensitive. Codes have no vowels, so they match no page name."""

    regex = "[A-Za-z0-9]{4,16}"

    def to_python(self, value: str) -> str:
        return value.upper()

    def to_url(self, value: str) -> str:
        return value


register_converter(CodeConverter, "code")
