"""What a browser submits for an untouched event form, and the settings an event has."""

from collections.abc import Iterator
from typing import Any

from django.test import Client
from django.test.html import Element, parse_html

from voting.models import Event
from voting.terms import PHONES

IGNORED_FIELDS = {"next_seed", "id", "code", "name", "created_at", "options"}
BANK = {"clock": "bank", "bank_s_usual": "300", "increment_s_usual": "5", "cap_s_usual": "20"}


def form_defaults(browser: Client, path: str) -> dict[str, str]:
    sent: dict[str, str] = {}
    for element in _elements(parse_html(browser.get(path).content.decode())):
        attributes = dict(element.attributes)
        name, kind = attributes.get("name") or "", attributes.get("type")
        if element.name == "input" and (kind not in {"radio", "checkbox"} or "checked" in attributes):
            sent[name] = attributes.get("value") or ("on" if kind == "checkbox" else "")
        elif element.name == "textarea":
            sent[name] = "".join(map(str, element.children))
        elif element.name == "select":
            options = [dict(option.attributes) for option in _elements(element) if option.name == "option"]
            for option in [option for option in options if "selected" in option] or options[:1]:
                sent[name] = option.get("value") or ""
    return sent


def _elements(parent: Any) -> Iterator[Any]:
    for child in parent.children:
        if isinstance(child, Element):
            yield child
            yield from _elements(child)


def edit_path(event: Event) -> str:
    return f"/console/{event.code}/edit/"


def event_settings(event: Event) -> dict[str, Any]:
    fields = {f.name: f.value_from_object(event) for f in Event._meta.concrete_fields}
    return {name: value for name, value in fields.items() if name not in IGNORED_FIELDS}


def sources(event: Event) -> dict[int, str]:
    return dict(event.teams.exclude(source=PHONES).values_list("number", "source"))
