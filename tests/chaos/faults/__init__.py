"""The faults of chaos campaigns: one module per family, each with its `FAULTS`.

A fault is a frozen dataclass with a `name` for the table. `inject` does the damage, undoes what does not heal
by itself, and returns. All its random values come from `rng`, so that the seed reproduces a run. It raises
`NotApplicable`, without any effect, if the setup cannot have this fault (another database, another file
system), and `Missed` if no process reached the required state in time.
"""

import time
from random import Random
from typing import Protocol

from tests.chaos.target import Target

__all__ = ["Fault", "Missed", "NotApplicable", "Span", "hold"]

Span = tuple[float, float]


class NotApplicable(Exception):
    """Why the setup cannot have this fault, in one line."""


class Missed(Exception):
    """Why the fault had no effect this time."""


def hold(span: Span, rng: Random) -> None:
    """Keep the fault active for a random time within the span."""
    time.sleep(rng.uniform(*span))


class Fault(Protocol):
    @property
    def name(self) -> str: ...

    def inject(self, target: Target, rng: Random) -> None: ...
