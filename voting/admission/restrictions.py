"""What organizers ruled about people, as a gateway holds it against whoever is there and whoever comes."""

from collections.abc import Iterable
from dataclasses import dataclass

from voting.models import Ruling


@dataclass(frozen=True, slots=True)
class Rule:
    """About one sign: the team it was moved to, whether it is kept out, and when it was sent out last."""

    team: int | None = None
    kept_out: bool = False
    sent_out_at: int = 0


NO_RULE = Rule()
Rules = dict[str, Rule]


def rules_of(event_ids: Iterable[int]) -> dict[int, Rules]:
    """By event and sign, of every event that was asked for."""
    found: dict[int, Rules] = {event_id: {} for event_id in event_ids}
    rows = Ruling.objects.filter(event_id__in=list(found))
    for event_id, sign, team, kept_out, sent_out_at in rows.values_list(
        "event_id", "sign", "team", "kept_out", "sent_out_at"
    ):
        found[event_id][sign] = Rule(team, kept_out, sent_out_at or 0)
    return found
