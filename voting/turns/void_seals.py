"""Keep seals that were published, but don't count because the turn was changed before it was resolved."""

from collections.abc import Mapping

import msgspec

from voting import protocol
from voting.matches import event_lock
from voting.models import Turn
from voting.records.match_record import PublishedSeal


def keep_void_seal(turn: Turn, seal: protocol.TurnSealed) -> None:
    """Keep a published seal of the turn as it was loaded, if the turn was changed since; idempotent.

    Does nothing if the seal counts after all, because another process wrote the same result. Call it within
    `event_lock`.
    """
    now = Turn.objects.filter(pk=turn.pk).first()
    if now is None or now.version == turn.version or now.sealed_at == seal.at:
        return
    known = now.void_seals or []
    if all(void["at"] != seal.at for void in known):
        red, yellow = (side.root if side else None for side in (seal.red, seal.yellow))
        void = PublishedSeal(at=seal.at, red=red, yellow=yellow, turn_commitment=seal.turn_commitment)
        Turn.objects.filter(pk=turn.pk).update(void_seals=[*known, msgspec.to_builtins(void)])


def keep_void_seals(seals: Mapping[Turn, protocol.TurnSealed]) -> None:
    """`keep_void_seal` for each of these turns. Takes the locks itself: waits for a change in progress."""
    for turn, seal in seals.items():
        with event_lock(turn.match.event_id):
            keep_void_seal(turn, seal)
