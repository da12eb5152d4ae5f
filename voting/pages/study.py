"""The organizer's download of votes for research."""

import csv

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from voting.pages.organizer import own_event
from voting.report.study import study_rows


@never_cache
@login_required
@require_GET
def download_study(request: HttpRequest, code: str) -> HttpResponse:
    event = own_event(request, code)
    answer = HttpResponse(content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="study-{event.code}.csv"'
    csv.writer(answer).writerows(study_rows(event))
    return answer
