import csv
import io
from decimal import Decimal

import pytest
from django.utils.translation import override

from crowdgame.server.web.spreadsheet import write_csv


def written(language: str, *rows: list[object]) -> str:
    text = io.StringIO(newline="")
    with override(language):
        write_csv(text, rows)
    return text.getvalue()


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        *(("en", "a,b;c,1.5,-2.0000,"), ("zh-hans", "a,b;c,1.5,-2.0000,"), ("ar", 'a;"b;c";1.5;-2.0000;')),
        *((language, 'a;"b;c";1,5;-2,0000;') for language in ("de", "es", "fr", "pt")),
    ],
)
def test_separators_are_those_of_the_language(language: str, expected: str) -> None:
    assert written(language, ["a", "b;c", 1.5, Decimal("-2.0000"), None]) == f"\ufeff{expected}\r\n"


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+49", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff201"],
)
def test_text_that_begins_a_formula_is_escaped(text: str) -> None:
    plain = written("en", [text, f"x{text}"]).removeprefix("\ufeff")
    assert list(csv.reader(io.StringIO(plain, newline=""))) == [[f"'{text}", f"x{text}"]]
