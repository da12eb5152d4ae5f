"""The faults of chaos campaigns: one module per family, each with its `FAULTS`.

The function `inject` of a fault does the damage, undoes what does not heal by itself, and returns. All its
random values come from `rng`, so that the seed reproduces a run. It raises `NotApplicable`, without any
effect, if the setup cannot have this fault (another database, another file system), and `Missed` if no
process reached the required state in time.
"""

import pkgutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from random import Random

from tests.chaos.target import Target

CHATS, CLOCKS, DISK = "chats", "clocks", "disk"
Span = tuple[float, float]
Inject = Callable[[Target, Random], None]


class NotApplicable(Exception):
    """Why the setup cannot have this fault, in one line."""


class Missed(Exception):
    """Why the fault had no effect this time."""


@dataclass(frozen=True)
class Fault:
    name: str
    inject: Inject

    @property
    def family(self) -> str:
        return self.inject.__module__.rpartition(".")[2]

    @property
    def source(self) -> str:
        """The function that injects it, or that returns the one that does."""
        return f"faults/{self.family}.py {self.inject.__qualname__.partition('.')[0]}"


def hold(span: Span, rng: Random) -> None:
    time.sleep(rng.uniform(*span))


def catalog() -> dict[str, Fault]:
    """All faults by name, ordered by family, then as the family lists them."""
    found: dict[str, Fault] = {}
    for family in pkgutil.iter_modules(__path__):
        for fault in import_module(f"{__name__}.{family.name}").FAULTS:
            assert fault.name not in found, fault.name
            found[fault.name] = fault
    return found
