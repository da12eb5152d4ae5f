"""Handle signals that the parent process made the suite ignore."""

import signal
from types import FrameType

OFTEN_IGNORED = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)


def reset_for_children() -> None:
    """Keep ignoring these signals here, but give child processes the default action.

    A shell starts background jobs with SIGINT ignored, nohup with SIGHUP ignored, and children inherit it.
    A handler does not outlive `exec`, unlike SIG_IGN.
    """
    for number in OFTEN_IGNORED:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _ignore)


def _ignore(number: int, frame: FrameType | None) -> None:
    pass
