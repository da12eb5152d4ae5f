"""What a simulated crowd shows at a door that asks for keys: codes from a file, or the code of the moment."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from voting.admission.admission import rotating_code
from voting.protocol import EventState


def read_keys(file: Path, phones: int) -> tuple[str, ...]:
    """A code a line. Raises OSError, and ValueError if they are fewer than the phones."""
    keys = tuple(line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.strip())
    if len(keys) < phones:
        raise ValueError(f"{file} holds {len(keys)} codes, too few for {phones} phones")
    return keys


def system_ms() -> int:
    return time.time_ns() // 1_000_000


class KeySource:
    """Each phone's key, by its number; without a file what the server's secret tells, if it is here.

    `now` is the time in milliseconds; the server takes the code before, too.
    """

    def __init__(self, read: Sequence[str] = (), now: Callable[[], int] = system_ms) -> None:
        self._read = read
        self._now = now

    def __call__(self, index: int, event: EventState) -> str | None:
        if self._read:
            return self._read[index]
        return self._rotating_code(event) if event.admission == "rotating" else None

    def _rotating_code(self, event: EventState) -> str | None:
        try:
            return rotating_code(event.code, self._now())[0]
        except ImproperlyConfigured:
            return None
