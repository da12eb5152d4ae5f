"""All faults by name: the `FAULTS` of every family in `tests.chaos.faults`."""

import pkgutil
from importlib import import_module

from tests.chaos import faults
from tests.chaos.faults import Fault

CLOCKS, DISK = "clocks", "disk"


def catalog() -> dict[str, Fault]:
    """Ordered by family, then as the family lists them."""
    found: dict[str, Fault] = {}
    for family in pkgutil.iter_modules(faults.__path__):
        for fault in import_module(f"tests.chaos.faults.{family.name}").FAULTS:
            assert fault.name not in found, fault.name
            found[fault.name] = fault
    return found
