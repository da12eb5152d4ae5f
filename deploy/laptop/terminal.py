"""Lines for the person at the terminal, and one that stays alive while a slow step runs."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

EVERY_S = 1
EVERY_S_WITHOUT_TERMINAL = 15


def speak_any_encoding() -> None:
    """A terminal that knows no tick or block characters shows question marks instead of a traceback."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def say(line: str, *, end: str = "\n") -> None:
    # The terminal may have been closed; whoever speaks then still has children to end.
    with suppress(OSError, ValueError):
        print(line, end=end, flush=True)


class Progress:
    """`title … 12 s`, rewritten every second on a terminal, a new line now and then elsewhere."""

    def __init__(self, title: str) -> None:
        self.title = title
        self._began = time.monotonic()
        self._ended = threading.Event()
        self._alive = sys.stdout.isatty()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def start(self) -> None:
        say(f"  {self.title} …", end="" if self._alive else "\n")
        self._ticker.start()

    def stop(self) -> None:
        self._ended.set()
        self._ticker.join()
        say(self._again(), end="")

    def tick_off(self) -> None:
        say(f"✓ {self.title}, {self._elapsed()} s")

    def _again(self) -> str:
        return "\r\x1b[K" if self._alive else ""

    def _elapsed(self) -> int:
        return round(time.monotonic() - self._began)

    def _tick(self) -> None:
        while not self._ended.wait(EVERY_S if self._alive else EVERY_S_WITHOUT_TERMINAL):
            say(f"{self._again()}  {self.title} … {self._elapsed()} s", end="" if self._alive else "\n")


@contextmanager
def progress(title: str) -> Iterator[None]:
    """Show that `title` is under way, and then that it is done; whoever fails says so in their own words."""
    line = Progress(title)
    line.start()
    try:
        yield
    finally:
        line.stop()
    line.tick_off()
