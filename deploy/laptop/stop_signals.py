"""What ends this program: Ctrl-C, SIGTERM, or its terminal being closed."""

import select
import signal
import sys
import threading
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt(_number: int, _frame: FrameType | None) -> None:
    for number in SIGNALS:  # impatience must not break off the tidying up, which is short
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def interrupt_on_signals() -> None:
    """From now on the first of SIGNALS raises KeyboardInterrupt in the main thread."""
    for number in SIGNALS:
        signal.signal(number, interrupt)


def wait_for_interrupt() -> None:
    """Until one of SIGNALS, or until the terminal is gone, which only the first of its session is told."""
    if sys.stdin.isatty():
        terminal = select.poll()
        terminal.register(sys.stdin, 0)
        if any(event & select.POLLHUP for _, event in terminal.poll()):
            raise KeyboardInterrupt
    threading.Event().wait()
