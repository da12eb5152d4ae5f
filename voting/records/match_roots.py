"""The seals of a match as its record and the log have them. Phones compare them with those they received."""

from collections import defaultdict
from typing import Literal

import msgspec

from voting.counting.commitments import commit_lot
from voting.models import Match, TurnState
from voting.records.exports import SidesStillSecret, load_roots, read_seals
from voting.records.match_record import PublishedSeal
from voting.terms import MatchState
from voting.transparency.accepted_witnesses import witness_names
from voting.transparency.entries import Lot, Restored, Seal, decode_entry
from voting.transparency.log import prove_turns

RootsFormat = Literal["crowdgame roots 1"]


class TurnRoots(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All seals of a turn. The one at `sealed_at` counts; None for a void turn, of which no seal counts."""

    turn: int
    lot: str
    seals: tuple[PublishedSeal, ...]
    sealed_at: int | None = None


class MatchRoots(msgspec.Struct, frozen=True, kw_only=True):
    """The seals of all resolved and void turns of a match, in the order of the turns' ids.

    `draw_lot` committed to what was drawn at the start: the earlier `next_lot` of the public state.
    """

    format: RootsFormat
    code: str
    match: int
    state: MatchState
    draw_lot: str | None
    turns: tuple[TurnRoots, ...]


class ProvenEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the log, with its inclusion proof as hex digits."""

    entry: str
    index: int
    path: tuple[str, ...]


class LoggedSeals(msgspec.Struct, frozen=True, kw_only=True):
    """All seals of a match in the log.

    `consistency` proves that the checkpoint extends the one that the phone has. The log has no seals from
    before its first lot. `witnesses` are names to show.
    """

    checkpoint: str
    seals: tuple[ProvenEntry, ...]
    first_lot: ProvenEntry | None
    restores: tuple[ProvenEntry, ...]
    consistency: tuple[str, ...]
    witnesses: tuple[str, ...]


def export_logged_seals(match: Match, known: int) -> LoggedSeals | None:
    """Return the logged seals of a match that is over, for a phone with a checkpoint of `known` entries.

    None before the end, or if the log has none. Raises InvalidProof.
    """
    if match.state == MatchState.PLAYING:
        return None
    turn_ids = match.turns.values_list("pk", flat=True)
    proofs, consistency = prove_turns(turn_ids, known)
    by_kind = defaultdict[type, list[ProvenEntry]](list)
    for entry, proof in proofs:
        proven = ProvenEntry(entry=entry, index=proof.index, path=tuple(one.hex() for one in proof.path))
        by_kind[type(decode_entry(entry.encode()))].append(proven)
    if not by_kind[Seal]:
        return None
    return LoggedSeals(
        checkpoint=str(proofs[0][1].checkpoint),
        seals=tuple(by_kind[Seal]),
        first_lot=next(iter(by_kind[Lot]), None),
        restores=tuple(by_kind[Restored]),
        consistency=tuple(one.hex() for one in consistency),
        witnesses=witness_names(turn_ids),
    )


def export_roots(match: Match) -> MatchRoots:
    """Return the seals of the match, as in its record. Raises SidesStillSecret."""
    if match.is_secret:
        raise SidesStillSecret("sides stay secret until the match is over")
    states = TurnState.RESOLVED, TurnState.VOID
    roots = load_roots(match, *states)
    turns = match.turns.filter(state__in=states).order_by("pk")
    return MatchRoots(
        format="crowdgame roots 1",
        code=match.event.code,
        match=match.number,
        state=MatchState(match.state),
        draw_lot=commit_lot(match.seed) if match.seed else None,
        turns=tuple(
            TurnRoots(
                turn=turn.pk,
                lot=turn.lot,
                seals=read_seals(turn, roots[turn.pk]),
                sealed_at=turn.sealed_at if turn.state == TurnState.RESOLVED else None,
            )
            for turn in turns
        ),
    )
