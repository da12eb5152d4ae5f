"""What organizers ruled about people, as a gateway holds it against whoever is there and whoever comes."""

from collections.abc import Iterable
from dataclasses import dataclass

from voting.models import StoredRestriction


@dataclass(frozen=True, slots=True)
class Restriction:
    """About one sign: the team it was moved to, whether it is kept out, and when it was sent out last."""

    team: int | None = None
    banned: bool = False
    kicked_at: int = 0


NO_RESTRICTION = Restriction()
Restrictions = dict[str, Restriction]


def load_restrictions(event_ids: Iterable[int]) -> dict[int, Restrictions]:
    """By event and sign, of every event that was asked for."""
    found: dict[int, Restrictions] = {event_id: {} for event_id in event_ids}
    rows = StoredRestriction.objects.filter(event_id__in=list(found))
    for event_id, voter_code, team, banned, kicked_at in rows.values_list(
        "event_id", "voter_code", "team", "banned", "kicked_at"
    ):
        found[event_id][voter_code] = Restriction(team, banned, kicked_at or 0)
    return found
