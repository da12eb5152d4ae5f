"""Record each seal in the database before it is published, and why it was replaced if it was.

A turn is sealed once in each version. Whoever changes a sealed turn says why, or is refused.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from django.db import connection
from django.utils.translation import gettext as _
from msgspec.structs import replace

from voting import protocol
from voting.matches import MatchError
from voting.models import Turn, TurnState
from voting.records.match_record import PublishedSeal, Reopening, VoidSeal
from voting.transparency.log import append_entries
from voting.turns.log_entries import sealed_turn

RECORD_SEALS_SQL = """
    WITH recorded (turn_id, version, seals) AS (VALUES {rows})
    UPDATE games_turn AS turn
    SET seals = {seals}, sealed_version = turn.version
    FROM recorded
    WHERE turn.id = recorded.turn_id
        AND turn.version = recorded.version
        AND turn.sealed_version < turn.version
        AND turn.state = 'open'
    RETURNING id
"""
JSON_CASTS = {"postgresql": "CAST(recorded.seals AS jsonb)"}


class SealContradicted(Exception):
    """The turn was sealed before with other ballots: the ballot box has lost some since."""


def record_seals(seals: Mapping[Turn, protocol.TurnSealed]) -> set[Turn]:
    """Record the seals of turns that aren't sealed yet, and append them to the log; idempotent.

    Returns the turns that are sealed and weren't changed since they were loaded. Another process, or an
    attempt before a crash, may have sealed them: `recorded_seal` tells.
    """
    written = _write_seals({turn: seal for turn, seal in seals.items() if not turn.is_sealed})
    current = set()
    for turn in seals:
        loaded = turn.version
        if not turn.is_sealed and turn not in written:
            turn.refresh_from_db(fields=("state", "version", "seals", "sealed_version"))
        if turn.is_sealed and (turn.state, turn.version) == (TurnState.OPEN, loaded):
            current.add(turn)
    append_entries([sealed_turn(seal) for turn, seal in seals.items() if turn in written])
    return current


def recorded_seal(turn: Turn, seal: protocol.TurnSealed) -> protocol.TurnSealed:
    """Return the seal to publish: with the time at which it was recorded first. Raises SealContradicted."""
    recorded = read_seals(turn)[-1]
    if replace(_published(seal), at=recorded.at) != recorded:
        raise SealContradicted(f"turn {turn.pk} was sealed before with other ballots")
    return replace(seal, at=recorded.at)


def _write_seals(seals: Mapping[Turn, protocol.TurnSealed]) -> set[Turn]:
    if not seals:
        return set()
    listed = {
        turn: [*(turn.seals or []), msgspec.to_builtins(_published(seal))] for turn, seal in seals.items()
    }
    values = [
        (turn.pk, turn.version, msgspec.json.encode(of_turn).decode()) for turn, of_turn in listed.items()
    ]
    sql = RECORD_SEALS_SQL.format(
        rows=", ".join(["(%s, %s, %s)"] * len(values)),
        seals=JSON_CASTS.get(connection.vendor, "recorded.seals"),
    )
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for row in values for value in row])
        written = {turn_id for (turn_id,) in cursor.fetchall()}
    recorded = {turn for turn in seals if turn.pk in written}
    for turn in recorded:
        turn.seals, turn.sealed_version = listed[turn], turn.version
    return recorded


def void_seal(turn: Turn, now: int, epoch: int) -> dict[str, Any]:
    """Return the changes of a turn's fields that say why its last seal, if it counts, is void from `now` on.

    A new `epoch` means that the ballot box was lost. The turn of a restored backup is no longer sealed, but
    its last seal may be public.
    """
    *earlier, last = read_seals(turn) or (None,)
    if last is None or last.void:
        return {}
    reason: Reopening = "box_lost" if epoch > last.epoch else "time_added"
    void = replace(last, void=VoidSeal(reason=reason, at=now, epoch=epoch))
    return {"seals": msgspec.to_builtins([*earlier, void])}


def void_by_added_time(turn: Turn, closes_at: int, now: int) -> dict[str, Any]:
    """`void_seal` for a turn that is now open until `closes_at`.

    Raises MatchError if that doesn't reopen a sealed turn, or if the turn waits for the host: its seal stays.
    """
    if turn.is_sealed and (turn.match.host_wait_s or closes_at <= read_seals(turn)[-1].at):
        raise MatchError(_("Time is up. The votes are being counted."))
    return void_seal(turn, now, turn.epoch)


def read_seals(turn: Turn) -> tuple[PublishedSeal, ...]:
    """Return all recorded seals of the turn."""
    return msgspec.convert(turn.seals or (), tuple[PublishedSeal, ...])


def _published(seal: protocol.TurnSealed) -> PublishedSeal:
    red, yellow = (side.root if side else None for side in (seal.red, seal.yellow))
    return PublishedSeal(
        at=seal.at, epoch=seal.epoch, red=red, yellow=yellow, turn_commitment=seal.turn_commitment
    )
