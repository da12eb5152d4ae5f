"""What a browser submits for an untouched event form, and the settings an event has."""

from html.parser import HTMLParser
from typing import Any

from django.test import Client

from voting.models import Event
from voting.terms import PHONES

IGNORED_FIELDS = {"next_seed", "id", "code", "name", "created_at", "options"}
BANK = {"clock": "bank", "bank_s_usual": "300", "increment_s_usual": "5", "cap_s_usual": "20"}


class _FormDefaults(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, str] = {}
        self._select = self._textarea = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        name, value = attributes.get("name") or "", attributes.get("value") or ""
        if tag == "input" and (
            attributes.get("type") not in {"radio", "checkbox"} or "checked" in attributes
        ):
            self.sent[name] = value or ("on" if attributes.get("type") == "checkbox" else "")
        if tag == "select":
            self._select = name
        if tag == "option" and ("selected" in attributes or self._select not in self.sent):
            self.sent[self._select] = value
        if tag == "textarea":
            self._textarea, self.sent[name] = name, ""

    def handle_data(self, data: str) -> None:
        if self._textarea:
            self.sent[self._textarea] = data.removeprefix("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._textarea = ""


def form_defaults(browser: Client, path: str) -> dict[str, str]:
    page = _FormDefaults()
    page.feed(browser.get(path).content.decode())
    return page.sent


def edit_path(event: Event) -> str:
    return f"/console/{event.code}/edit/"


def event_settings(event: Event) -> dict[str, Any]:
    fields = {f.name: f.value_from_object(event) for f in Event._meta.concrete_fields}
    return {name: value for name, value in fields.items() if name not in IGNORED_FIELDS}


def sources(event: Event) -> dict[int, str]:
    return dict(event.teams.exclude(source=PHONES).values_list("number", "source"))
