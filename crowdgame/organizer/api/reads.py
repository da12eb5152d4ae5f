"""What the API answers to GET: events, matches, analyses, cups, and an event's export."""

import logging
from collections.abc import Mapping
from io import BytesIO, StringIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec
from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import override

from crowdgame.organizer.api import schemas
from crowdgame.organizer.api.models import ApiToken
from crowdgame.organizer.api.tokens import events_of
from crowdgame.organizer.cups.models import Cup
from crowdgame.results.analysis.stored_analyses import load_analyses
from crowdgame.results.reports.match_csv import report_csv_rows
from crowdgame.results.reports.reading import read_report
from crowdgame.server.web.spreadsheet import write_csv
from games.engine.errors import GameError
from voting.announcements.snapshots import load_snapshot
from voting.counting.tally import SideTally
from voting.models import Event, Match, TallyRecord, Turn, TurnState
from voting.protocol import EventState
from voting.records.exports import export_match

log = logging.getLogger(__name__)

PAGE, MAX_PAGE = 50, 200
MAX_DIGITS = 18
Query = Mapping[str, str]


class BadRequest(Exception):
    """The body or an argument in the address is malformed."""


def list_events(token: ApiToken, query: Query) -> schemas.EventPage:
    after, limit = _number(query, "after"), _number(query, "limit")
    limit = PAGE if limit is None else limit
    if not 1 <= limit <= MAX_PAGE:
        raise BadRequest(f"`limit` has to be from 1 to {MAX_PAGE}")
    events = events_of(token).order_by("-pk")
    rows = list((events.filter(pk__lt=after) if after else events)[: limit + 1])
    items = [
        schemas.EventRow(
            code=event.code,
            name=event.name,
            created_at=event.created_at.isoformat(),
        )
        for event in rows[:limit]
    ]
    return schemas.EventPage(items=items, after=rows[limit - 1].pk if len(rows) > limit else None)


def _number(query: Query, name: str) -> int | None:
    text = query.get(name, "")
    if text and not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise BadRequest(f"`{name}` has to be a number")
    return int(text) if text else None


def find_event(token: ApiToken, code: str) -> Event:
    """Raises Http404 if the token gives no access to such an event."""
    event = events_of(token).filter(code=code).first()
    if event is None:
        raise Http404("There is no such event.")
    return event


def read_event(token: ApiToken, query: Query, code: str) -> EventState:
    return load_snapshot(find_event(token, code))


def list_matches(token: ApiToken, query: Query, code: str) -> list[schemas.MatchRow]:
    matches = find_event(token, code).matches.order_by("number")
    return [msgspec.convert(_match_fields(match), schemas.MatchRow) for match in matches]


def _find_match(token: ApiToken, code: str, number: int) -> Match:
    matches = Match.objects.filter(event=find_event(token, code), number=number)
    match = matches.select_related("event", "red", "yellow").first()
    if match is None:
        raise Http404("There is no such match.")
    return match


def _match_fields(match: Match) -> dict[str, object]:
    return {
        "match": match.number,
        "state": match.state,
        "result": match.result,
        "ended_by": match.ended_by or None,
        "ended_at": match.ended_at,
        "rehearsed": match.rehearsed,
    }


def read_match(token: ApiToken, query: Query, code: str, number: int) -> schemas.Match:
    match = _find_match(token, code, number)
    resolved = match.turns.filter(state=TurnState.RESOLVED).order_by("number").prefetch_related("tallies")
    turns = [] if match.is_secret else [_read_turn(turn) for turn in resolved]
    return msgspec.convert(_match_fields(match) | {"turns": turns}, schemas.Match)


def _read_turn(turn: Turn) -> schemas.Turn:
    tallies = {record.side: record for record in turn.tallies.all()}
    return schemas.Turn(
        number=turn.number,
        resolved_at=turn.resolved_at or 0,
        red_pick=turn.red_pick,
        yellow_pick=turn.yellow_pick,
        red=_read_tally(tallies.get("red")),
        yellow=_read_tally(tallies.get("yellow")),
    )


def _read_tally(record: TallyRecord | None) -> SideTally | None:
    return msgspec.convert(record, SideTally, from_attributes=True) if record else None


def read_analyses(token: ApiToken, query: Query, code: str, number: int) -> list[schemas.TurnAnalysis]:
    analyses = load_analyses(_find_match(token, code, number))
    return [schemas.TurnAnalysis(number=turn, analysis=one) for turn, one in sorted(analyses.items())]


def export_event(token: ApiToken, query: Query, code: str) -> bytes:
    """Return a zip file with the record and the CSV report of each match that is not secret.

    Leaves out matches of games that are not installed any more. It has no times of its own, so that an
    unchanged export is equal.
    """
    event, packed = find_event(token, code), BytesIO()
    with ZipFile(packed, "w") as archive:
        add_matches(archive, event)
    return packed.getvalue()


def add_matches(archive: ZipFile, event: Event) -> None:
    """Add the record and the CSV report of each match that is not secret and whose game is installed."""
    with override(event.language):
        for match in event.matches.select_related("event", "red", "yellow").order_by("number"):
            if match.is_secret:
                continue
            try:
                _add_match(archive, match)
            except GameError as error:
                log.warning("match %s of event %s is not exported: %s", match.number, event.pk, error)


def _add_match(archive: ZipFile, match: Match) -> None:
    """Raises GameError if the match's game is not installed any more."""
    code, number = match.event.code, match.number
    if exported := export_match(code, number):
        record = msgspec.json.encode(exported.record)
        archive.writestr(ZipInfo(f"{code}-{number}.json"), record, ZIP_DEFLATED)
    table = StringIO()
    write_csv(table, report_csv_rows(read_report(match), load_analyses(match)))
    archive.writestr(ZipInfo(f"{code}-{number}.csv"), table.getvalue(), ZIP_DEFLATED)


def list_cups(token: ApiToken, query: Query) -> list[schemas.CupRow]:
    rows = _cups(token).order_by("-pk")
    return [schemas.CupRow(code=cup.code, name=cup.name, format=cup.format) for cup in rows]


def _cups(token: ApiToken) -> QuerySet[Cup]:
    return Cup.objects.none() if token.event_id else Cup.objects.filter(owner=token.user_id)


def read_cup(token: ApiToken, query: Query, code: str) -> schemas.Cup:
    cup = _cups(token).filter(code=code).first()
    if cup is None:
        raise Http404("There is no such cup.")
    pairings = cup.pairings.select_related("event").order_by("number")
    return schemas.Cup(
        code=cup.code,
        name=cup.name,
        format=cup.format,
        teams=[
            schemas.CupTeam(seed=team.seed, name=team.name, source=team.source)
            for team in cup.teams.order_by("seed")
        ],
        pairings=[
            schemas.CupPairing(
                number=pairing.number,
                red=pairing.red,
                yellow=pairing.yellow,
                event=pairing.event.code if pairing.event else None,
                walkover=pairing.walkover,
            )
            for pairing in pairings
        ],
    )
