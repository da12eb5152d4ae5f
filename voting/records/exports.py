"""Export of a match record from the database: all resolved turns, nothing of an open one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

import msgspec
from django.db.models import Count, Max, Q

from games.engine.game import SIDES, Picks, Side
from games.engine.registry import read_options
from voting.counting.ballots import unpack_ballots
from voting.counting.commitments import FROM_SEED, arrival_order, commit_lot
from voting.models import CLOSED_STATES, Match, SidesRecord, TallyRecord, Turn, TurnState
from voting.positions import Position, replay
from voting.records.log_check import hash_record
from voting.records.match_record import (
    DRAWN_FROM_ROOTS,
    SEALS_LISTED,
    SORTED,
    UNSORTED,
    Format,
    MatchRecord,
    PublishedSeal,
    Restored,
    SecretSides,
    SideCount,
    SidePicks,
    StartDraw,
    Teams,
    Terms,
    TurnCount,
    VoidedTurn,
)
from voting.terms import TieRule, VoidReason
from voting.transparency.entries import BACKUP_EPOCH_LEAP
from voting.typed_codes import normalize_code

READ_ATTEMPTS = 3


class ExportedRecord(NamedTuple):
    """A match and its record. While `version` is unchanged, so is the record."""

    match: Match
    record: MatchRecord
    version: tuple[object, ...]


class MatchChanging(Exception):
    """The match changed during every attempt to read it."""


class SidesStillSecret(Exception):
    """The record would reveal secret sides before the match is over."""


def find_match(code: str, number: int | None) -> Match | None:
    """Return an event's match of this number, or its latest one; None if there is none."""
    matches = Match.objects.filter(event__code=normalize_code(code)).select_related("event", "red", "yellow")
    candidates = matches if number is None else matches.filter(number=number)
    return candidates.order_by("-number").first()


def record_version(match: Match) -> tuple[object, ...]:
    """Return the version of the match's record (see `ExportedRecord`)."""
    turns = match.turns.aggregate(
        last=Max("pk", filter=Q(state=TurnState.RESOLVED)),
        void=Count("pk", filter=Q(state=TurnState.VOID)),
    )
    names = match.event.name, match.red.name, match.yellow.name
    return match.pk, match.state, match.ended_at, *turns.values(), *names


def export_match(code: str, number: int | None) -> ExportedRecord | None:
    """Return a consistent record, or None if there is no such match. Retries if the match changes meanwhile.

    Raises MatchChanging or SidesStillSecret.
    """
    for _ in range(READ_ATTEMPTS):
        match = find_match(code, number)
        if match is None:
            return None
        if match.is_secret:
            raise SidesStillSecret("sides stay secret until the match is over")
        version = record_version(match)
        exported = ExportedRecord(match, _record(match), version)
        again = find_match(code, number)
        if again and record_version(again) == exported.version:
            return exported
    raise MatchChanging("the match changed during the export, try again")


def load_record_hash(match_id: int) -> str:
    """Return `hash_record` of the match's record, without loading ballots."""
    match = Match.objects.select_related("event", "red", "yellow").get(pk=match_id)
    turns = match.turns.filter(state=TurnState.RESOLVED).order_by("number")
    turns = turns.only("pk", "red_pick", "yellow_pick")
    computed = _summary(match, turns) | {"format": SEALS_LISTED, "counts": ()}
    void_ids = match.turns.filter(state=TurnState.VOID).order_by("pk").values_list("pk", flat=True)
    record = msgspec.convert(vars(match) | computed, MatchRecord)
    return hash_record(record, [turn.pk for turn in turns], void_ids)


def _record(match: Match) -> MatchRecord:
    closed = match.turns.filter(state__in=CLOSED_STATES).order_by("number")
    position = replay(match, closed.prefetch_related("tallies"))
    void = list(match.turns.filter(state=TurnState.VOID).order_by("pk"))
    computed = {
        "format": _format(position, void),
        "counts": tuple(_counts(match, position)),
        "sides": _sides(match),
        "voided": tuple(_voided_turns(match, void)),
    }
    return msgspec.convert(vars(match) | _summary(match, position.turns) | computed, MatchRecord)


def _summary(match: Match, turns: Iterable[Turn]) -> dict[str, Any]:
    """Return the fields of the record that need neither seals nor ballots. `turns` are the resolved ones."""
    return {
        "name": f"{match.event.name}, match {match.number}",
        "code": match.event.code,
        "match": match.number,
        "teams": Teams(red=match.red.name, yellow=match.yellow.name),
        "terms": msgspec.convert(match, Terms, from_attributes=True),
        "turns": tuple(SidePicks(red=turn.red_pick, yellow=turn.yellow_pick) for turn in turns),
        "result": match.result or "open",
        "draw": _start_draw(match),
    }


def _format(position: Position, void: Iterable[Turn]) -> Format:
    """Return the newest format of which every turn has all fields: earlier versions played some."""
    if any(not tally.is_sorted for turn in position.turns for tally in turn.tallies.all()):
        return UNSORTED
    were_sealed = (*position.turns, *(turn for turn in void if turn.sealed_at or turn.void_seals))
    if not all(turn.seals for turn in were_sealed):
        return SORTED
    drawn = {turn.draws_version for turn in (*position.turns, *void)}
    return SEALS_LISTED if drawn == {FROM_SEED} else DRAWN_FROM_ROOTS


def _start_draw(match: Match) -> StartDraw | None:
    if not match.seed:
        return None
    return StartDraw(lot=commit_lot(match.seed), seed=match.seed, options=match.chosen_options or {})


def _sides(match: Match) -> SecretSides | None:
    kept = SidesRecord.objects.filter(match=match).first() if match.max_side_changes else None
    return msgspec.convert(kept.summary, SecretSides) if kept else None


def _voided_turns(match: Match, void: Iterable[Turn]) -> Iterator[VoidedTurn]:
    roots = load_roots(match, TurnState.VOID)
    for turn in void:
        yield VoidedTurn(
            turn=turn.pk,
            number=turn.number,
            lot=turn.lot,
            seed=turn.seed,
            voided_at=turn.voided_at,
            reason=VoidReason(turn.void_reason) if turn.void_reason else None,
            seals=read_seals(turn, roots[turn.pk]),
        )


def load_roots(match: Match, *states: TurnState) -> dict[int, dict[str, str]]:
    """Return the Merkle root of each side that moved, by turn id. Doesn't load the ballots."""
    rows = TallyRecord.objects.filter(turn__match=match, turn__state__in=states)
    roots = defaultdict[int, dict[str, str]](dict)
    for turn_id, side, root in rows.values_list("turn", "side", "root"):
        if root:
            roots[turn_id][side] = root
    return roots


def read_seals(turn: Turn, roots: dict[str, str]) -> tuple[PublishedSeal, ...]:
    """Return all seals of the turn. `roots` are the roots of its sides, if it was counted.

    Of a turn that an earlier version closed, some void ones may be missing.
    """
    if turn.seals:
        return msgspec.convert(turn.seals, tuple[PublishedSeal, ...])
    return (*_read_void_seals(turn), *_last_seal(turn, roots))


def _read_void_seals(turn: Turn) -> tuple[PublishedSeal, ...]:
    return msgspec.convert(turn.void_seals or (), tuple[PublishedSeal, ...])


def _last_seal(turn: Turn, roots: dict[str, str]) -> Iterator[PublishedSeal]:
    if turn.sealed_at is None:
        return
    if turn.turn_commitment:
        yield PublishedSeal(at=turn.sealed_at, turn_commitment=turn.turn_commitment)
    else:
        yield PublishedSeal(at=turn.sealed_at, red=roots.get("red"), yellow=roots.get("yellow"))


def _restored(turn: Turn) -> Restored | None:
    if turn.epoch == 1:
        return None
    if turn.epoch > BACKUP_EPOCH_LEAP:
        return "backup"
    return "database" if turn.stored else "phones"


def _counts(match: Match, position: Position) -> Iterator[TurnCount]:
    game = position.game
    state = game.start(read_options(game, match.options))
    for turn in position.turns:
        legal = {side: game.legal_actions(state, side) for side in game.to_move(state)}
        yield _count(turn, legal, by_arrival=match.tie_rule == TieRule.FIRST)
        state = game.resolve(state, Picks(turn.red_pick, turn.yellow_pick))[0]


def _count(turn: Turn, legal: dict[Side, tuple[int, ...]], *, by_arrival: bool) -> TurnCount:
    tallies = {cast(Side, record.side): record for record in turn.tallies.all()}
    red, yellow = (
        _side_count(tallies.get(side), legal.get(side, ()), by_arrival=by_arrival) for side in SIDES
    )
    computed = {
        "turn": turn.pk,
        "lot": turn.lot,
        "red": red,
        "yellow": yellow,
        "restored": _restored(turn),
        "seals": read_seals(turn, {}) if turn.seals else (),
        "void_seals": _read_void_seals(turn),
    }
    return msgspec.convert(vars(turn) | computed, TurnCount)


def _side_count(record: TallyRecord | None, legal: tuple[int, ...], *, by_arrival: bool) -> SideCount | None:
    if record is None:
        return None
    ballots = unpack_ballots(bytes(record.sealed))
    computed = {
        "root": record.root or None,
        "ballots": [(ballot.choice, ballot.blind) for ballot in ballots],
        "legal": legal,
        "rounds": record.rounds or (),
        "arrivals": arrival_order(ballots) if by_arrival and record.is_sorted else (),
    }
    return msgspec.convert(vars(record) | computed, SideCount)
