"""Admission keys of a simulated crowd: ticket codes from a file, or the event's rotating code."""

import csv
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from voting.admission.admission import is_ticket_code, rotating_code
from voting.protocol import EventState
from voting.terms import Admission
from voting.typed_codes import normalize_code


def read_keys(file: Path, phones: int) -> tuple[str, ...]:
    """Read one code a line, or the CSV file of `manage.py tickets` or of the codes page.

    Raises OSError, and ValueError if there are fewer codes than phones.
    """
    with file.open(encoding="utf-8-sig", newline="") as lines:
        first = [normalize_code(row[0]) for row in csv.reader(lines) if row]
    keys = tuple(filter(is_ticket_code, first))  # a CSV file begins with the titles of its columns
    if len(keys) < phones:
        raise ValueError(f"{file} holds {len(keys)} codes, too few for {phones} phones")
    return keys


def system_ms() -> int:
    return time.time_ns() // 1_000_000


class KeySource:
    """Returns a phone's key by its index: from the file, else the event's rotating code.

    The rotating code needs the server's SECRET_KEY. `now` returns the time in ms; the server also accepts the
    previous code.
    """

    def __init__(self, read: Sequence[str] = (), now: Callable[[], int] = system_ms) -> None:
        self._read = read
        self._now = now

    def __call__(self, index: int, event: EventState) -> str | None:
        if self._read:
            return self._read[index]
        if event.admission != Admission.ROTATING:
            return None
        try:
            return rotating_code(event.code, self._now())[0]
        except ImproperlyConfigured:
            return None
