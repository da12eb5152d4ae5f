"""Read environment variables that are numbers, choices or switches.

A variable that is empty or not set has its default. Each function raises ImproperlyConfigured with what to
write.
"""

import os
from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured

SWITCHES = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
MAX_NUMBER = 2**31 - 1


def read_number(name: str, default: int, *, least: int = 1, most: int = MAX_NUMBER) -> int:
    value = os.environ.get(name, "").strip() or str(default)
    number = int(value) if value.isdecimal() and len(value) <= len(str(most)) else -1
    if not least <= number <= most:
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {most}. It is {value!r}.")
    return number


def read_choice(name: str, choices: Sequence[str]) -> str:
    """Return one of `choices`, in any case. The first is the default."""
    value = os.environ.get(name, "").strip() or choices[0]
    found = {choice.lower(): choice for choice in choices}.get(value.lower())
    if found is None:
        raise ImproperlyConfigured(f"{name} must be {_listed(choices)}. It is {value!r}.")
    return found


def read_switch(name: str, *, default: bool = False) -> bool:
    value = os.environ.get(name, "").strip()
    if value.lower() not in {"", *SWITCHES}:
        raise ImproperlyConfigured(f"{name} must be {_listed([*SWITCHES])}. It is {value!r}.")
    return SWITCHES.get(value.lower(), default)


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
