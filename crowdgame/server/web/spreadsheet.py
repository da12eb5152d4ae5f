"""CSV files that spreadsheets open correctly and safely, in the active language."""

import csv
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Protocol

from django.http import HttpResponse
from django.utils.translation import get_language

UTF8_BOM = "\ufeff"  # without it, spreadsheets guess another encoding
# A spreadsheet runs a cell that begins like this as a formula, also in a file from somebody else.
FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# The separators of cells and of decimals that spreadsheets expect.
DEFAULT_SEPARATORS = (",", ".")
SEPARATORS = {"ar": (";", "."), **dict.fromkeys(("de", "es", "fr", "pt"), (";", ","))}


class TextFile(Protocol):
    def write(self, text: str, /) -> object: ...


def write_csv(target: TextFile, rows: Iterable[Sequence[object]]) -> None:
    """Write the rows with a byte order mark. None becomes an empty cell.

    Texts that spreadsheets would run as a formula get an apostrophe in front.
    """
    separator, decimal_point = SEPARATORS.get(get_language() or "", DEFAULT_SEPARATORS)
    target.write(UTF8_BOM)
    writer = csv.writer(target, delimiter=separator)
    writer.writerows([_to_cell(value, decimal_point) for value in row] for row in rows)


def csv_response(name: str, rows: Iterable[Sequence[object]]) -> HttpResponse:
    """Return a download named `name`.csv."""
    answer = HttpResponse(content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    write_csv(answer, rows)
    return answer


def _to_cell(value: object, decimal_point: str) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float | Decimal):
        return str(value).replace(".", decimal_point)
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA_PREFIXES) else text
