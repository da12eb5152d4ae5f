"""Graceful shutdown on Ctrl-C, SIGTERM or a closed terminal (SIGHUP)."""

import select
import signal
import sys
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL_MS = 1000


def interrupt(_number: int, _frame: FrameType | None) -> None:
    """Signal handler: ignore further SIGNALS and raise KeyboardInterrupt."""
    for number in SIGNALS:  # a second Ctrl-C must not interrupt the cleanup, which is short
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def interrupt_on_signals() -> None:
    """Make the first of SIGNALS raise KeyboardInterrupt in the main thread; later ones are ignored."""
    for number in SIGNALS:
        signal.signal(number, interrupt)


def wait_for_interrupt() -> None:
    """Block until one of SIGNALS arrives or the terminal closes. Always raises KeyboardInterrupt.

    The terminal is polled because the kernel sends SIGHUP only to the session leader. The wait has an end,
    because a signal that arrives just before it would not end it.
    """
    terminal = select.poll()
    if sys.stdin.isatty():
        terminal.register(sys.stdin, 0)
    while not any(event & select.POLLHUP for _, event in terminal.poll(POLL_MS)):
        pass
    raise KeyboardInterrupt
