"""Registry of the organizer actions: the functions of this package that are decorated with `action`."""

from importlib import import_module
from pkgutil import iter_modules

from crowdgame.organizer.console.actions.registry import ACTIONS

__all__ = ["ACTIONS"]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
