"""Restrictions that organizers put on voters (ban, kick, move, no nickname), as a gateway enforces them."""

from collections.abc import Iterable
from dataclasses import dataclass

from voting.models import StoredRestriction


@dataclass(frozen=True, slots=True)
class Restriction:
    """The restriction of one voter code.

    `team` is the team it was moved to, if any. `kicked_at` is the time of the last kick in milliseconds, 0 if
    none. `nameless`: the nickname was removed.
    """

    team: int | None = None
    banned: bool = False
    kicked_at: int = 0
    nameless: bool = False


NO_RESTRICTION = Restriction()
Restrictions = dict[str, Restriction]


def load_restrictions(event_ids: Iterable[int]) -> dict[int, Restrictions]:
    """Load the restrictions by event and voter code. The result has an entry for each event."""
    found: dict[int, Restrictions] = {event_id: {} for event_id in event_ids}
    rows = StoredRestriction.objects.filter(event_id__in=list(found))
    for event_id, voter_code, team, banned, kicked_at, nameless in rows.values_list(
        "event_id", "voter_code", "team", "banned", "kicked_at", "nameless"
    ):
        found[event_id][voter_code] = Restriction(team, banned, kicked_at or 0, nameless)
    return found
