"""Rows to take along, as a file that a spreadsheet opens."""

import csv
from collections.abc import Iterable, Sequence

from django.http import HttpResponse

UTF8_BOM = "\ufeff"  # else spreadsheets take it for another encoding


def csv_response(name: str, rows: Iterable[Sequence[str]], *, of_names: bool = False) -> HttpResponse:
    """A download called `name`.csv. With `of_names` there may be letters beyond ASCII in it."""
    answer = HttpResponse(UTF8_BOM if of_names else "", content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    csv.writer(answer).writerows(rows)
    return answer
