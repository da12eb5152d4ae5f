"""The registry of ballot sources. Third parties add sources through the entry point group below.

The name of an entry point is the source's slug. A third-party entry point cannot replace a built-in source.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from voting.sources.ballot_source import BallotSource

GROUP = "crowdgame.ballot_sources"
BUILT_IN: Mapping[str, EntryPoint] = {"bot": EntryPoint("bot", "voting.sources.bots:SOURCE", GROUP)}


@cache
def all_sources() -> Mapping[str, BallotSource]:
    """Return every ballot source by its slug."""
    third_party = {point.name: point for point in entry_points(group=GROUP)}
    return {slug: point.load() for slug, point in {**BUILT_IN, **third_party, **BUILT_IN}.items()}


def find_source(team_source: str) -> tuple[BallotSource, str] | None:
    """Return the ballot source of a team and its address; None for phones, hands and what isn't installed."""
    slug, _, address = team_source.partition(":")
    source = all_sources().get(slug)
    return (source, address) if source and address in source.addresses else None


def source_labels() -> dict[str, str]:
    """Return what a team's source can be besides phones and hands, with labels in English."""
    return {
        f"{slug}:{address}": label
        for slug, source in all_sources().items()
        for address, label in source.addresses.items()
    }
