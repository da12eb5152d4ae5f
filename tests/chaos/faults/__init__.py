"""What can go wrong in a night: one module a family, each with its `FAULTS`.

A fault is a frozen dataclass with a `name` for the table. `inject` does the damage, undoes what does not heal
by itself, and returns; what it draws it draws from the `rng`, so that a night's seed tells all. If this night
cannot have it (another database, no such file system) it raises `NotHere`, and nothing has happened; `Missed`
if only the moment did not come.
"""

import time
from random import Random
from typing import Protocol

from tests.chaos.target import Target

__all__ = ["Fault", "Missed", "NotHere", "Span", "last"]

Span = tuple[float, float]


class NotHere(Exception):
    """Why this fault cannot be had in this night, in one line."""


class Missed(Exception):
    """Why it came to nothing this time."""


def last(span: Span, rng: Random) -> None:
    """The damage goes on for some seconds of this span: nothing is waited for, its length is the fault."""
    time.sleep(rng.uniform(*span))


class Fault(Protocol):
    @property
    def name(self) -> str: ...

    def inject(self, target: Target, rng: Random) -> None: ...
