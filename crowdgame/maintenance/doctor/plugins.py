"""Games and ballot sources of other packages."""

from collections.abc import Iterator

from crowdgame.maintenance.doctor.finding import Finding
from games.engine.registry import broken_games
from voting.sources.registry import broken_sources


def check_plugins() -> Iterator[Finding]:
    """Load all games and ballot sources, as a gateway does."""
    for plugin in (*broken_games(), *broken_sources()):
        yield Finding(
            f"{plugin.group} {plugin.slug} of the package {plugin.package} cannot be loaded ({plugin.error})",
            "Update or uninstall the package, and restart the gateways, workers and schedulers.",
        )
