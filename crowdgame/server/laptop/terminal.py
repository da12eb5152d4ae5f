"""Terminal output: lines for the user, and a progress line while a slow step runs."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

REFRESH_S = 1
REFRESH_WITHOUT_TTY_S = 15


def replace_unencodable() -> None:
    """Print `?` for characters that the terminal cannot encode, instead of raising UnicodeEncodeError."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def print_line(line: str, *, end: str = "\n") -> None:
    # The terminal may be closed. The caller must still be able to stop its children.
    with suppress(OSError, ValueError):
        print(line, end=end, flush=True)


class ProgressLine:
    """`title … 12 s`, rewritten every second on a terminal; elsewhere a new line every 15 seconds."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._began = time.monotonic()
        self._ended = threading.Event()
        self._is_tty = sys.stdout.isatty()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def start(self) -> None:
        print_line(f"  {self.title} …", end="" if self._is_tty else "\n")
        self._ticker.start()

    def stop(self) -> None:
        self._ended.set()
        self._ticker.join()
        print_line(self._erase_line(), end="")

    def print_done(self) -> None:
        print_line(f"✓ {self.title}, {self._elapsed()} s")

    def _erase_line(self) -> str:
        return "\r\x1b[K" if self._is_tty else ""

    def _elapsed(self) -> int:
        return round(time.monotonic() - self._began)

    def _tick(self) -> None:
        while not self._ended.wait(REFRESH_S if self._is_tty else REFRESH_WITHOUT_TTY_S):
            print_line(
                f"{self._erase_line()}  {self.title} … {self._elapsed()} s", end="" if self._is_tty else "\n"
            )


@contextmanager
def progress(title: str) -> Iterator[None]:
    """Show `title` as running, then as done. On an exception it prints no result; the caller reports it."""
    line = ProgressLine(title)
    line.start()
    try:
        yield
    finally:
        line.stop()
    line.print_done()
