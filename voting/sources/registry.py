"""The registry of ballot sources. Third parties add sources through the entry point group below.

A source that cannot be loaded is logged and left out.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any

from games.engine.plugins import BrokenPlugin, InvalidPlugin, find_entries, load_plugin
from voting.sources.ballot_source import BallotSource, TypedSource
from voting.terms import BOT, DISCORD, TWITCH

GROUP = "crowdgame.ballot_sources"
BUILT_IN: Mapping[str, EntryPoint] = {
    slug: EntryPoint(slug, f"voting.sources.{module}:SOURCE", GROUP)
    for slug, module in ((BOT, "bots"), (TWITCH, "twitch"), (DISCORD, "discord"))
}


@cache
def all_sources() -> Mapping[str, BallotSource]:
    """Return every ballot source by its slug, except for those that cannot be loaded."""
    return {slug: source for slug, source in _load().items() if not isinstance(source, BrokenPlugin)}


def broken_sources() -> list[BrokenPlugin]:
    """Return the ballot sources that cannot be loaded."""
    return [source for source in _load().values() if isinstance(source, BrokenPlugin)]


def _load() -> Mapping[str, BallotSource | BrokenPlugin]:
    return {slug: load_plugin(point, _check_source) for slug, point in find_entries(GROUP, BUILT_IN).items()}


def _check_source(source: Any) -> None:
    if isinstance(source, type) or not isinstance(source, BallotSource):
        raise InvalidPlugin("it is not a ballot source")
    if not isinstance(source.addresses, Mapping):
        raise InvalidPlugin("its addresses are not a mapping")


def find_source(team_source: str) -> tuple[BallotSource, str] | None:
    """Return the ballot source of a team and its address; None for phones, hands and what isn't installed."""
    slug, _, address = team_source.partition(":")
    source = all_sources().get(slug)
    return (source, address) if source and _has_address(source, address) else None


def _has_address(source: BallotSource, address: str) -> bool:
    if isinstance(source, TypedSource):
        return bool(address) and source.parse_address(address) == address
    return address in source.addresses


def typed_sources() -> dict[str, TypedSource]:
    """Return the ballot sources whose address an organizer types, by slug."""
    return {slug: source for slug, source in all_sources().items() if isinstance(source, TypedSource)}


def source_labels() -> dict[str, str]:
    """Return what an organizer can choose besides phones and hands, with labels in English.

    A choice that ends with a colon needs an address.
    """
    typed = {f"{slug}:": source.label for slug, source in typed_sources().items()}
    return {
        f"{slug}:{address}": label
        for slug, source in all_sources().items()
        for address, label in source.addresses.items()
    } | typed
