"""Plug-ins: the objects that packages offer in a group of entry points.

The name of an entry point is the plug-in's slug. A third party's entry point cannot replace a built-in one.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

log = logging.getLogger(__name__)


class InvalidPlugin(Exception):
    """The loaded object does not follow the plug-in protocol."""


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """A plug-in that cannot be used."""

    group: str
    slug: str
    package: str
    error: str


def find_entries(group: str, built_in: Mapping[str, EntryPoint]) -> Mapping[str, EntryPoint]:
    """Return the entry points by slug, the built-in ones first."""
    third_party = {point.name: point for point in entry_points(group=group)}
    return {**built_in, **third_party, **built_in}


@cache
def load_plugin(point: EntryPoint, check: Callable[[Any], None]) -> Any | BrokenPlugin:
    """Return the plug-in, or log its package and return BrokenPlugin if loading or checking it fails.

    `check` may raise any error.
    """
    try:
        plugin = point.load()
        check(plugin)
        if plugin.slug != point.name:
            raise InvalidPlugin(f"its slug is {plugin.slug!r}")
    except Exception as error:
        # Foreign code can raise any error, and all other plug-ins must still load.
        package = point.dist.name if point.dist else point.module
        log.exception("%s %s of the package %s cannot be loaded", point.group, point.name, package)
        return BrokenPlugin(point.group, point.name, package, f"{type(error).__name__}: {error}")
    return plugin
