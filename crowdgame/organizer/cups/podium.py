"""The podium of a cup that is over: the teams in the first three places."""

from collections.abc import Iterator
from dataclasses import dataclass

from crowdgame.organizer.cups.cups import CupProgress
from crowdgame.organizer.cups.league_table import league_table
from crowdgame.organizer.cups.pairing import CupFormat

LAST_PLACE = 3


@dataclass(frozen=True, slots=True)
class PodiumPlace:
    """A place and the names of the teams in it: several if they are level, or have both lost a semi-final."""

    place: int
    names: tuple[str, ...]


def podium(progress: CupProgress) -> tuple[PodiumPlace, ...]:
    """Return the places from the first to the third; none while a pairing is left to play."""
    if not progress.champions:
        return ()
    ranked = _league_places if progress.kind == CupFormat.LEAGUE else _bracket_places
    places: dict[int, list[str]] = {}
    for place, seed in ranked(progress):
        places.setdefault(place, []).append(progress.names[seed])
    return tuple(PodiumPlace(place, tuple(names)) for place, names in sorted(places.items()))


def _league_places(progress: CupProgress) -> Iterator[tuple[int, int]]:
    for row in league_table(tuple(progress.names), progress.meetings):
        if row.place <= LAST_PLACE:
            yield row.place, row.team


def _bracket_places(progress: CupProgress) -> Iterator[tuple[int, int]]:
    """Yield the champion, the loser of the final and those of the semi-finals, with their places."""
    *earlier, final = progress.meetings
    for seed in final.teams:
        if seed is not None:
            yield (1 if seed == final.winner else 2), seed
    for meeting in earlier:
        if meeting.pairing.round == final.pairing.round - 1:
            yield from ((LAST_PLACE, seed) for seed in meeting.teams if seed and seed != meeting.winner)
