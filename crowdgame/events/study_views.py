"""Research export: the owner's CSV download of a study's votes."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from crowdgame.events.access import require_own_event
from crowdgame.reports.study import study_rows
from crowdgame.web.spreadsheet import csv_response


@never_cache
@login_required
@require_GET
def download_study(request: HttpRequest, code: str) -> HttpResponse:
    event = require_own_event(request, code)
    return csv_response(f"study-{event.code}", study_rows(event))
