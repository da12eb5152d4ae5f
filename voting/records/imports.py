"""Import of a match record into the database. It is not announced and not counted.

A turn's id is part of the commitment to its ballots. It is kept, or the record is refused.
"""

import re
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connection, transaction

from games.engine.game import SIDES
from voting.counting.ballots import Ballot, asks_for_draw, pack_ballots, resigns
from voting.counting.commitments import FROM_ROOTS, draws_version
from voting.events import CODE_LETTERS, create_event
from voting.matches import TERMS, locked_event
from voting.models import Event, Match, SidesRecord, TallyRecord, Turn, TurnState
from voting.records.exports import export_match
from voting.records.match_record import UNSORTED, MatchRecord, SideCount, TurnCount, VoidedTurn, side_count
from voting.records.recount import find_faults
from voting.terms import MatchState

CODE = re.compile(f"[{CODE_LETTERS}]{{4,16}}")
MAX_NUMBER = 10**15  # above any real turn id or time in milliseconds
MAX_INTEGER = 2**31  # above the database's integers
DESCRIPTIVE_FIELDS = {"name", "code", "match", "format", "state"}
MAX_FAULTS_SHOWN = 5


class ImportRefused(Exception):
    """The record is refused; the message can be shown to users."""


def import_match(record: MatchRecord, event: Event, now: int) -> Match:
    """Add the record as the event's next match. Raises ImportRefused.

    An export of it equals the record, except perhaps for name, code and number. A match that goes on in the
    record is aborted.
    """
    check_record(record)
    with locked_event(event.pk) as held:
        if held.matches.filter(state=MatchState.PLAYING).exists():
            raise ImportRefused("A match of this event is live. Import the record when it is over.")
        match = _create_match(record, held, now)
        for number, count in enumerate(record.counts, 1):
            _create_turn(match, number, record, count)
        for voided in record.voided:
            _create_voided_turn(match, voided, listed=record.lists_seals)
        if record.sides:
            SidesRecord.objects.create(match=match, summary=msgspec.to_builtins(record.sides))
        _advance_turn_ids(max(_turn_ids(record), default=0))
        changed = find_differences(record, match) - DESCRIPTIVE_FIELDS
        if changed:
            raise ImportRefused(
                f"An export of the match would differ from the record in {', '.join(sorted(changed))}."
            )
    return match


def import_event(record: MatchRecord, owner: User, now: int) -> Match:
    """Import the record into a new event, with the record's code if it is free. Raises ImportRefused."""
    with transaction.atomic():
        suffix = f", match {record.match}"
        teams = record.teams.red, record.teams.yellow
        event = create_event(owner, record.name.removesuffix(suffix), teams, game=record.game)
        if CODE.fullmatch(record.code) and not Event.objects.filter(code=record.code).exists():
            Event.objects.filter(pk=event.pk).update(code=record.code)
            event.refresh_from_db()
        try:
            event.full_clean()
            for team in event.teams.all():
                team.full_clean()
        except ValidationError as refusal:
            raise ImportRefused(" ".join(refusal.messages)) from refusal
        return import_match(record, event, now)


def check_record(record: MatchRecord) -> None:
    """Raise ImportRefused unless the record verifies, is complete, and its turn ids are free."""
    faults = find_faults(record)
    if faults:
        more = [f"and {len(faults) - MAX_FAULTS_SHOWN} more"] if len(faults) > MAX_FAULTS_SHOWN else []
        shown = "; ".join([*map(str, faults[:MAX_FAULTS_SHOWN]), *more])
        raise ImportRefused(f"The record is invalid: {shown}.")
    for number, count in enumerate(record.counts, 1):
        if count.resolved_at is None:
            raise ImportRefused(f"Turn {number} has no `resolved_at`.")
        times = count.resolved_at, count.sealed_at or 1
        if not all(0 < value < MAX_NUMBER for value in (count.turn, *times)) or count.epoch >= MAX_INTEGER:
            raise ImportRefused(f"Turn {number} has an id, a time or an epoch that is out of range.")
    for voided in record.voided:
        times = voided.turn, voided.voided_at or 1
        if not all(0 < value < MAX_NUMBER for value in times) or voided.number >= MAX_INTEGER:
            raise ImportRefused(f"The void turn {voided.turn} has an id, number or time out of range.")
    taken = Turn.objects.filter(pk__in=_turn_ids(record)).order_by("pk").first()
    if taken is not None:
        raise ImportRefused(
            f"The turn id {taken.pk} is already in the database, as turn {taken.number} of {taken.match}."
        )


def _turn_ids(record: MatchRecord) -> list[int]:
    return [*(count.turn for count in record.counts), *(voided.turn for voided in record.voided)]


def find_differences(record: MatchRecord, match: Match) -> set[str]:
    """Return the fields that would differ if the match were exported again."""
    exported = export_match(match.event.code, match.number)
    again = exported.record if exported else None
    return {name for name in record.__struct_fields__ if getattr(record, name) != getattr(again, name, None)}


def _create_match(record: MatchRecord, event: Event, now: int) -> Match:
    red, yellow = event.teams.order_by("number")
    ended = record.result != "open"
    last = record.counts[-1].resolved_at if record.counts else now
    terms: dict[str, Any] = {name: getattr(event, name) for name in TERMS}
    terms |= {
        "game": record.game,
        "options": record.options,
        "consent": "",
        "in_study": False,
    }  # nobody consented here
    terms |= {name: getattr(record.terms, name) for name in record.terms.__struct_fields__}
    if record.draw:
        terms |= {"seed": record.draw.seed, "chosen_options": record.draw.options}
    return Match.objects.create(
        **terms,
        bots=msgspec.to_builtins(record.bots),
        event=event,
        number=event.matches.count() + 1,
        red=red,
        yellow=yellow,
        state=MatchState.ENDED if ended else MatchState.ABORTED,
        result=record.result if ended else None,
        ended_by=record.ended_by,
        started_at=_resolved_time(record.counts[0]) if record.counts else now,
        ended_at=last,
    )


def _create_turn(match: Match, number: int, record: MatchRecord, count: TurnCount) -> None:
    """Create a turn with its tallies. The record does not tell when the window opened."""
    picks, at = record.turns[number - 1], _resolved_time(count)
    turn_commitment = record.sides.turns[number - 1].turn_commitment if record.sides else ""
    turn = Turn.objects.create(
        pk=count.turn,
        match=match,
        number=number,
        state=TurnState.RESOLVED,
        opens_at=at,
        closes_at=at,
        seed=count.seed,
        draws_version=draws_version(count.seed, count.lot) or FROM_ROOTS,
        turn_commitment=turn_commitment,
        red_pick=picks.red,
        yellow_pick=picks.yellow,
        sealed_at=count.sealed_at,
        resolved_at=count.resolved_at,
        epoch=count.epoch,
        stored=count.restored == "database",
        seals=msgspec.to_builtins(count.seals) or None,
        void_seals=msgspec.to_builtins(count.void_seals) or None,
    )
    for side in SIDES:
        counted = side_count(count, side)
        if counted is not None:
            _create_tally(turn, side, counted, is_sorted=record.format != UNSORTED or bool(counted.arrivals))


def _create_voided_turn(match: Match, voided: VoidedTurn, *, listed: bool) -> None:
    """Create a void turn without tallies. The record tells only its seals, all if `listed`."""
    at = voided.voided_at or match.started_at
    seals = {"seals" if listed else "void_seals": msgspec.to_builtins(voided.seals) or None}
    Turn.objects.create(
        pk=voided.turn,
        match=match,
        number=voided.number,
        state=TurnState.VOID,
        opens_at=at,
        closes_at=at,
        seed=voided.seed,
        draws_version=draws_version(voided.seed, voided.lot) or FROM_ROOTS,
        **seals,
        voided_at=voided.voided_at,
        void_reason=voided.reason or "",
    )


def _create_tally(turn: Turn, side: Any, counted: SideCount, *, is_sorted: bool) -> None:
    arrival = {index: number for number, index in enumerate(counted.arrivals, 1)}
    ballots = [
        Ballot("", side, choice, 0, arrival.get(index, index + 1), blind)
        for index, (choice, blind) in enumerate(counted.ballots)
    ]
    TallyRecord.objects.create(
        turn=turn,
        side=side,
        counts=list(counted.counts),
        ballots=len(ballots),
        pick=counted.pick,
        decided_by=counted.decided_by,
        sealed=pack_ballots(ballots),
        is_sorted=is_sorted,
        root=counted.root or "",
        rounds=counted.rounds or None,
        resigning=sum(resigns(ballot.choice) for ballot in ballots),
        draw_votes=sum(asks_for_draw(ballot.choice) for ballot in ballots),
        captain=counted.captain,
    )


def _resolved_time(count: TurnCount) -> int:
    return count.sealed_at or count.resolved_at or 0


def _advance_turn_ids(turn_id: int) -> None:
    """Advance the id sequence past the imported id. PostgreSQL does not do it on its own; SQLite does."""
    if connection.vendor != "postgresql" or not turn_id:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('games_turn', 'id'))")
        if cursor.fetchone()[0] <= turn_id:
            cursor.execute("SELECT setval(pg_get_serial_sequence('games_turn', 'id'), %s)", [turn_id])
