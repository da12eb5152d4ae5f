"""Signals that the suite's own parent had it ignore."""

import signal
from types import FrameType

OFTEN_IGNORED = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)


def reset_for_children() -> None:
    """Go on ignoring such a signal here, but have every process started from now on get its default action.

    A shell starts background jobs with SIGINT ignored, nohup with SIGHUP ignored, and children inherit it.
    A handler does not outlive `exec`, unlike SIG_IGN.
    """
    for number in OFTEN_IGNORED:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _ignore)


def _ignore(number: int, frame: FrameType | None) -> None:
    pass
