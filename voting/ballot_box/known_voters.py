"""The voters who have joined an event, by voter code, with the gateway that each is connected to.

Seats are signed tokens that no server stores. Without this record, organizers could not list phones, and
could ban codes of nobody.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import event_key, turn_keys

MAX_KNOWN_VOTERS = 1_200_000  # per event; a client that joins again and again must not fill the memory
MAX_DOUBLINGS = 3
MAX_SCANS = 10  # a page reads a bounded part of the record, however many phones there are


class JoinedVoter(NamedTuple):
    """The team of a voter's seat, and the voter's id."""

    team: int
    voter: str


@dataclass(frozen=True, slots=True)
class KnownVoter:
    """A voter who has joined. `connected`: whether a gateway with a fresh heartbeat holds the phone."""

    team: int
    connected: bool
    voter: str


@dataclass(frozen=True, slots=True)
class ConnectedPhone:
    """A connected voter. `voted`: whether there is a ballot in the turn that was asked about."""

    voter_code: str
    team: int
    voted: bool


@dataclass(frozen=True, slots=True)
class PhoneFilter:
    """Which connected phones to list. None and empty: all. `voted` refers to the turn `turn_id`.

    `shards` are those of its ballot box.
    """

    turn_id: int
    code_part: str
    team: int | None
    voted: bool | None
    shards: int = 1


class VoterRecorder:
    """Records the voters of the gateway `name`. Raises redis.RedisError while Redis is away."""

    def __init__(self, name: str, box: AsyncBallotBox) -> None:
        self._name = name
        self._record = box.script("record_voters")

    async def record(self, event_id: int, voters: Mapping[str, JoinedVoter], *, connected: bool) -> None:
        """Record voters by voter code, as connected or disconnected."""
        rows = msgspec.msgpack.encode([part for code, voter in voters.items() for part in (code, *voter)])
        args = (self._name, MAX_KNOWN_VOTERS, int(connected), rows)
        await self._record(keys=[_key(event_id)], args=args)


def find_voters(box: BallotBox, event_id: int, codes: Sequence[str]) -> dict[str, KnownVoter]:
    """Return those of the voter codes that a phone has had. Raises redis.RedisError while Redis is away."""
    if not codes:
        return {}
    rows = box.read_hash(_key(event_id), codes)
    gateways = box.active_gateways(event_id)
    return dict(_read_rows(zip(codes, rows, strict=True), gateways))


def scan_phones(
    box: BallotBox, event_id: int, which: PhoneFilter, cursor: str, *, wanted: int
) -> tuple[list[ConnectedPhone], str]:
    """Return connected phones from `cursor` on ("0" at first) and the next cursor, "0" at the end.

    Stops at about `wanted` phones, or after a bounded part of the record. A phone may be listed twice while
    others join. Raises redis.RedisError while Redis is away.
    """
    gateways = sorted(box.active_gateways(event_id))
    keys = [_key(event_id), turn_keys(event_id, which.turn_id)[1]]
    voted = "" if which.voted is None or which.shards > 1 else int(which.voted)
    found: list[ConnectedPhone] = []
    is_filtered_here = which.voted is not None and which.shards > 1
    for scan in range(MAX_SCANS):
        # Few of the rows may pass the filter below, so that each further scan reads more of them.
        rows_wanted = (wanted - len(found)) * (2 ** min(scan, MAX_DOUBLINGS) if is_filtered_here else 1)
        args = (cursor, which.code_part, which.team or "", voted, rows_wanted, *gateways)
        after, rows = box.scan_voters(keys, args)
        cursor = after.decode()
        ids = [voter.decode() for *_, voter in rows] if which.shards > 1 else []
        voters = box.find_ballots(event_id, which.turn_id, ids, which.shards)
        for code, team, has_ballot, voter in rows:
            has_voted = bool(has_ballot) or voter.decode() in voters
            if which.voted in {None, has_voted}:
                found.append(ConnectedPhone(code.decode(), team, has_voted))
        if cursor == "0" or len(found) >= wanted:
            break
    return found, cursor


def _read_rows(rows: Iterable[tuple[str, Any]], gateways: set[str]) -> Iterable[tuple[str, KnownVoter]]:
    for code, row in rows:
        if row is not None:
            team, gateway, voter = (*row.decode().split(" "), "")[:3]
            yield code, KnownVoter(int(team), gateway in gateways, voter)


def _key(event_id: int) -> str:
    return event_key(event_id, "voters")
