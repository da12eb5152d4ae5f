"""CSV downloads that spreadsheets open correctly."""

import csv
from collections.abc import Iterable, Sequence

from django.http import HttpResponse

UTF8_BOM = "\ufeff"  # without it, spreadsheets guess another encoding


def csv_response(name: str, rows: Iterable[Sequence[str]], *, of_names: bool = False) -> HttpResponse:
    """Return a download named `name`.csv. With `of_names`, a BOM marks it as UTF-8 for non-ASCII text."""
    answer = HttpResponse(UTF8_BOM if of_names else "", content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    csv.writer(answer).writerows(rows)
    return answer
