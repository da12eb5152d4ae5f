"""What the transparency log says about turns and matches."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import asdict

from voting import protocol
from voting.models import Match, Turn
from voting.records.exports import load_record_hash
from voting.records.match_record import PublishedSeal
from voting.terms import VoidReason
from voting.transparency.entries import Lot, MatchOver, Seal, SealVoided, TurnVoided


def planned_turn(turn: Turn) -> Lot:
    return Lot(turn=turn.pk, lot=turn.lot)


def sealed_turn(seal: protocol.TurnSealed) -> Seal:
    return Seal(**asdict(seal))


def void_seal(turn: Turn, changes: Mapping[str, Any]) -> Iterator[SealVoided]:
    """Yield an entry if these changes, which are written, made the turn's seal void."""
    if "seals" in changes:
        last = msgspec.convert(changes["seals"][-1], PublishedSeal)
        if last.void:
            yield SealVoided(turn=turn.pk, **asdict(last.void))


def void_turns(turn_ids: Iterable[int], reason: VoidReason, now: int) -> Iterator[TurnVoided]:
    for turn_id in turn_ids:
        yield TurnVoided(turn=turn_id, reason=reason, at=now)


def match_over(match: Match) -> Iterator[MatchOver]:
    """Yield the end of a match that had turns. Call it when its result and turns are written."""
    if turn := match.turns.order_by("pk").last():
        yield MatchOver(turn=turn.pk, record=load_record_hash(match.pk))
