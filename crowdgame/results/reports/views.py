"""`/report/CODE/N`: public match report page, also as one file, and its figures as CSV.

A report holds resolved turns only, so nothing of an open voting window. Pages of finished matches are cached.
"""

import gzip
from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language, override
from django.views.decorators.http import require_safe

from crowdgame.results.analysis.stored_analyses import (
    EventAnalyses,
    analyses_version,
    load_analyses,
    load_event_analyses,
    load_match_analysis,
)
from crowdgame.results.reports.analysis_board import has_analysis_board
from crowdgame.results.reports.board_editor import editor_address
from crowdgame.results.reports.board_picture import picture_address
from crowdgame.results.reports.color_sheet import color_rules, color_sheet_url, match_colors
from crowdgame.results.reports.match_csv import report_csv_rows
from crowdgame.results.reports.reading import read_event_crowds, read_report
from crowdgame.results.reports.record_download import ExportsBusy, load_packed_record, retry_later
from crowdgame.results.reports.report_view import view_report
from crowdgame.server.web.hosts import server_url
from crowdgame.server.web.languages import PARAMETER
from crowdgame.server.web.paper import file_style, paper_response, render_paper_page
from crowdgame.server.web.spreadsheet import csv_response
from games.engine.errors import GameError
from voting.models import Event, Match, TurnState
from voting.records.exports import MatchChanging, SidesStillSecret, find_match, record_version
from voting.records.log_proof import export_log_proof
from voting.terms import MatchState
from voting.transparency.accepted_witnesses import witness_names
from voting.transparency.merkle import InvalidProof

CACHE_SIZE = 8
GZIP_LEVEL = 6
CACHE_MAX_AGE_S = 60
MAX_FILE_RECORD_BYTES = 4 * 1024 * 1024
_cache: dict[tuple[object, ...], bytes] = {}


@require_safe
def match_report(request: HttpRequest, code: str, number: int, *, as_file: bool = False) -> HttpResponse:
    """Serve the report page, in the event's language or that of `?locale=`. Answers 404 without a match.

    `as_file`: as a file that works without the server and holds the record. Answers 503 when busy.
    """
    match = find_match(code, number)
    if match is None:
        raise Http404
    language = get_language() if PARAMETER in request.GET else match.event.language
    site = server_url(request) if as_file else ""
    try:
        with override(language):
            packed = _cached_page(match, picture_address(request, match.event.code, match), site)
    except (ExportsBusy, MatchChanging):
        return retry_later()
    compressed = "gzip" in request.headers.get("Accept-Encoding", "")
    answer = paper_response(packed if compressed else gzip.decompress(packed), _max_age_s(match))
    if compressed:
        answer.headers["Content-Encoding"] = "gzip"
    if as_file:
        name = f"{match.event.code}-{match.number}.html"
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    answer.headers["Content-Language"] = language
    patch_vary_headers(answer, ["Accept-Encoding"])
    return answer


@require_safe
def match_csv(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Serve the report's figures as CSV, for the event's language. Answers 404 without a match."""
    match = find_match(code, number)
    if match is None:
        raise Http404
    rows = report_csv_rows(read_report(match), load_analyses(match))
    with override(match.event.language):
        answer = csv_response(f"{match.event.code}-{match.number}", rows)
    answer.headers["Cache-Control"] = f"public, max-age={_max_age_s(match)}"
    return answer


def _cached_page(match: Match, picture: str, site: str) -> bytes:
    """Return the gzipped page; with `site`, the file whose links lead there.

    Raises ExportsBusy or MatchChanging.
    """
    colors = match_colors(match)
    brand = {
        "sheet": "" if site else color_sheet_url(colors),
        "logo": "" if site else match.event.shown_logo,
        "line": match.event.shown_brand_line,
    }
    witnesses = _witnesses(match)
    shown = get_language(), picture, site, colors, witnesses, *brand.values()
    version = *record_version(match), *analyses_version(match), *shown
    if version in _cache:
        return _cache[version]
    context = report_context(match, load_event_analyses(match), witnesses)
    context |= {"picture": picture, "brand": brand}
    if site:
        address = f"{site}{reverse('report', args=[match.event.code, match.number])}"
        file = {
            "site": site,
            "address": address,
            "record": _file_record(match),
            "log": _file_log(match),
            **file_style(color_rules(colors)),
        }
        page = render_paper_page("reports/match_file.html", context | file)
    else:
        page = render_paper_page("reports/match.html", context)
    packed = gzip.compress(page.encode(), GZIP_LEVEL)
    if match.state != MatchState.PLAYING:
        while len(_cache) >= CACHE_SIZE:
            _cache.pop(next(iter(_cache)), None)
        _cache[version] = packed
    return packed


def _file_record(match: Match) -> str:
    """Return the record for a script element; "" while sides are secret, or if it is too large for a file."""
    try:
        packed = load_packed_record(match)
    except SidesStillSecret:
        return ""
    if packed is None or len(packed) > MAX_FILE_RECORD_BYTES:
        return ""
    return gzip.decompress(packed).decode().replace("<", "\\u003c")


def _file_log(match: Match) -> str:
    """Return the proof of the match's entries in the log for a script element; "" while it goes on."""
    if match.state == MatchState.PLAYING:
        return ""
    try:
        proof = export_log_proof(match)
    except InvalidProof:  # the log in the database is damaged; witnesses report that
        return ""
    return msgspec.json.encode(proof).decode().replace("<", "\\u003c") if proof else ""


def report_context(match: Match, analyses: EventAnalyses, witnesses: tuple[str, ...]) -> dict[str, Any]:
    """Return what the template of one match needs. `analyses` are those of the event up to this match."""
    report = read_report(match)
    own = analyses.get(match.number, {})
    resolved = match.turns.filter(state=TurnState.RESOLVED).order_by("number")
    return {
        "witnesses": witnesses,
        "report": report,
        "view": view_report(report, own, read_event_crowds(match, analyses), load_match_analysis(match, own)),
        "editor": editor_address(match, resolved),
        "has_board": has_analysis_board(match),
    }


def _witnesses(match: Match) -> tuple[str, ...]:
    return witness_names(match.turns.values_list("pk", flat=True))


def render_event_file(event: Event, site: str) -> str:
    """Return the reports of all ended matches, without dry runs, as one page, which loads nothing.

    Its links lead to `site`.
    """
    found = event.matches.filter(state=MatchState.ENDED, rehearsed=False).order_by("number")
    matches = list(found.select_related("event", "red", "yellow"))
    analyses = load_event_analyses(matches[-1]) if matches else {}
    contexts = [context for match in matches if (context := _file_context(match, analyses))]
    colors = [team.color for team in event.teams.order_by("number")]
    page = {"event": event, "matches": contexts, "site": site, "brand": {"line": event.shown_brand_line}}
    style = file_style(color_rules((colors[0], colors[1])))
    return render_paper_page("reports/event_file.html", page | style)


def _file_context(match: Match, analyses: EventAnalyses) -> dict[str, Any] | None:
    """Return what the template of the file needs for a match; None if its game is not installed any more."""
    try:
        context = report_context(match, _up_to(match.number, analyses), _witnesses(match))
    except GameError:
        return None
    return {**context, "at": f"{match.number}-"}


def _up_to(number: int, analyses: EventAnalyses) -> EventAnalyses:
    return {match: turns for match, turns in analyses.items() if match <= number}


def _max_age_s(match: Match) -> int:
    return 0 if match.state == MatchState.PLAYING else CACHE_MAX_AGE_S
