"""`/report/CODE/N`: a match told afterwards, for anybody and without a login; and its figures as CSV.

It holds the turns that are resolved, so nothing of an open window. Pages of matches that are over are kept.
"""

import gzip

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from crowdgame.reports.model import csv_rows
from crowdgame.reports.page import view_report
from crowdgame.reports.preview_view import picture_address
from crowdgame.reports.reading import read_report
from crowdgame.web.paper import answer_paper, render_paper
from crowdgame.web.spreadsheet import answer_csv
from games.models import Match, MatchState
from voting.records.exports import find_match, record_version

KEPT = 8
GZIP_LEVEL = 6
FRESH_S = 60
_kept: dict[tuple[object, ...], bytes] = {}


@require_safe
def match_report(request: HttpRequest, code: str, number: int) -> HttpResponse:
    match = find_match(code, number)
    if match is None:
        return _none(request)
    packed = _page(match, picture_address(request, match.event.code, match))
    compressed = "gzip" in request.headers.get("Accept-Encoding", "")
    answer = answer_paper(packed if compressed else gzip.decompress(packed), _fresh_s(match))
    if compressed:
        answer.headers["Content-Encoding"] = "gzip"
    patch_vary_headers(answer, ["Accept-Encoding"])
    return answer


@require_safe
def match_csv(request: HttpRequest, code: str, number: int) -> HttpResponse:
    match = find_match(code, number)
    if match is None:
        return _none(request)
    answer = answer_csv(f"{match.event.code}-{match.number}", csv_rows(read_report(match)))
    answer.headers["Cache-Control"] = f"public, max-age={_fresh_s(match)}"
    return answer


def _page(match: Match, picture: str) -> bytes:
    version = *record_version(match), picture
    if version in _kept:
        return _kept[version]
    report = read_report(match)
    page = render_paper(
        "reports/match.html", {"report": report, "view": view_report(report), "picture": picture}
    )
    packed = gzip.compress(page.encode(), GZIP_LEVEL)
    if match.state != MatchState.PLAYING:
        while len(_kept) >= KEPT:
            _kept.pop(next(iter(_kept)), None)
        _kept[version] = packed
    return packed


def _none(request: HttpRequest) -> HttpResponse:
    return HttpResponse(render_to_string("404.html", request=request), status=404)


def _fresh_s(match: Match) -> int:
    return 0 if match.state == MatchState.PLAYING else FRESH_S
