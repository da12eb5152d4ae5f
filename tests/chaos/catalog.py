"""All faults by name: the `FAULTS` of every family in `tests.chaos.faults`."""

import pkgutil
from importlib import import_module

from tests.chaos import faults
from tests.chaos.faults import Fault

CLOCKS, DISK = "clocks", "disk"


def fault_family(fault: Fault) -> str:
    return type(fault).__module__.rpartition(".")[2]


def fault_source(fault: Fault) -> str:
    return f"faults/{fault_family(fault)}.py {type(fault).__name__}"


def catalog() -> dict[str, Fault]:
    """Ordered by family, then as the family lists them."""
    found: dict[str, Fault] = {}
    for family in families():
        for fault in import_module(f"tests.chaos.faults.{family}").FAULTS:
            assert fault.name not in found, fault.name
            found[fault.name] = fault
    return found


def families() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(faults.__path__)]
