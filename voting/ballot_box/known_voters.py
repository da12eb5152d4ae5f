"""The voters who have joined an event, by voter code, with the gateway that each is connected to.

Seats are signed tokens that no server stores. Without this record, organizers could ban codes of nobody.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import event_key

MAX_KNOWN_VOTERS = 200_000  # per event; a client that joins again and again must not fill the memory


@dataclass(frozen=True, slots=True)
class KnownVoter:
    """`team` is that of the seat. `connected`: whether a gateway with a fresh heartbeat holds the phone."""

    team: int
    connected: bool


class VoterRecorder:
    """Records the voters of the gateway `name`. Raises redis.RedisError while Redis is away."""

    def __init__(self, name: str, box: AsyncBallotBox) -> None:
        self._name = name
        self._record = box.script("record_voters")

    async def record(self, event_id: int, teams: Mapping[str, int], *, connected: bool) -> None:
        """Record voters, given as voter codes with their teams, as connected or disconnected."""
        voters = [part for code, team in teams.items() for part in (code, team, int(connected))]
        await self._record(keys=[_key(event_id)], args=(self._name, MAX_KNOWN_VOTERS, *voters))


def find_voters(box: BallotBox, event_id: int, codes: Sequence[str]) -> dict[str, KnownVoter]:
    """Return those of the voter codes that a phone has had. Raises redis.RedisError while Redis is away."""
    if not codes:
        return {}
    rows = box.read_hash(_key(event_id), codes)
    gateways = box.active_gateways(event_id)
    return dict(_read_rows(zip(codes, rows, strict=True), gateways))


def _read_rows(rows: Iterable[tuple[str, Any]], gateways: set[str]) -> Iterable[tuple[str, KnownVoter]]:
    for code, row in rows:
        if row is not None:
            team, _, gateway = row.decode().partition(" ")
            yield code, KnownVoter(int(team), gateway in gateways)


def _key(event_id: int) -> str:
    return event_key(event_id, "voters")
