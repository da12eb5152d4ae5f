"""Declare environment variables, as attributes of a class. An attribute's value is that of the variable.

A variable that is empty or not set has its default. A wrong one raises ImproperlyConfigured with what to
write.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.core.exceptions import ImproperlyConfigured

SWITCHES = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
MAX_NUMBER = 2**31 - 1
T = TypeVar("T")


@dataclass
class Variable(Generic[T]):
    """An environment variable. `default` describes the default."""

    read: Callable[[str], T]
    meaning: str
    default: str
    name: str = ""

    def __set_name__(self, section: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, section: type) -> T:
        return self.read(self.name)


def text(meaning: str, default: str = "", *, described: str = "") -> Variable[str]:
    described = described or (f"`{default}`" if default else "none")
    return Variable(lambda name: os.environ.get(name) or default, meaning, described)


def texts(meaning: str) -> Variable[list[str]]:
    """Declare texts that are separated by commas."""

    def read(name: str) -> list[str]:
        return [part.strip() for part in os.environ.get(name, "").split(",") if part.strip()]

    return Variable(read, meaning, "none")


def number(
    meaning: str, default: int, *, least: int = 1, most: int = MAX_NUMBER, described: str = ""
) -> Variable[int]:
    def read(name: str) -> int:
        value = os.environ.get(name, "").strip() or str(default)
        found = int(value) if value.isdecimal() and len(value) <= len(str(most)) else -1
        if not least <= found <= most:
            raise _refusal(name, f"a whole number from {least} to {most}", value)
        return found

    return Variable(read, meaning, described or str(default))


def choice(meaning: str, choices: Sequence[str]) -> Variable[str]:
    """Declare one of `choices`, in any case. The first is the default."""

    def read(name: str) -> str:
        value = os.environ.get(name, "").strip() or choices[0]
        found = {choice.lower(): choice for choice in choices}.get(value.lower())
        if found is None:
            raise _refusal(name, _listed(choices), value)
        return found

    return Variable(read, meaning, f"`{choices[0]}`")


def switch(meaning: str, *, default: bool = False) -> Variable[bool]:
    def read(name: str) -> bool:
        value = os.environ.get(name, "").strip()
        if value.lower() not in {"", *SWITCHES}:
            raise _refusal(name, _listed([*SWITCHES]), value)
        return SWITCHES.get(value.lower(), default)

    return Variable(read, meaning, "on" if default else "off")


def _refusal(name: str, wanted: str, value: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} must be {wanted}. It is {value!r}.")


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
