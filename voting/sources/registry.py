"""The registry of ballot sources. Third parties add sources through the entry point group below.

The name of an entry point is the source's slug. A third-party entry point cannot replace a built-in source.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from voting.sources.ballot_source import BallotSource, TypedSource
from voting.terms import BOT, DISCORD, TWITCH

GROUP = "crowdgame.ballot_sources"
BUILT_IN: Mapping[str, EntryPoint] = {
    slug: EntryPoint(slug, f"voting.sources.{module}:SOURCE", GROUP)
    for slug, module in ((BOT, "bots"), (TWITCH, "twitch"), (DISCORD, "discord"))
}


@cache
def all_sources() -> Mapping[str, BallotSource]:
    """Return every ballot source by its slug."""
    third_party = {point.name: point for point in entry_points(group=GROUP)}
    return {slug: point.load() for slug, point in {**BUILT_IN, **third_party, **BUILT_IN}.items()}


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
