"""Limit of open files of a process: raised at start, and how much of it is left.

Each connection takes one file descriptor. The operating system assigns the lowest free number, so the number
of a new descriptor tells how many are in use.
"""

import resource
from contextlib import suppress

RESERVED_FILES = 128  # for databases, Redis, pages, and connections that are being refused
ABORT_RESERVE = 64  # if fewer are left, connections are aborted without a response
MAX_FILES = 1_048_576


def raise_open_files_limit() -> int:
    """Raise the soft limit to the hard limit, at most to MAX_FILES. Returns the resulting limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):  # macOS allows fewer than its hard limit says
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return _limit()


def max_connections() -> int:
    """The number of files that may be open before new sockets are refused."""
    return max(0, _limit() - RESERVED_FILES)


def is_crowded(descriptor: int) -> bool:
    """Whether `max_connections` was reached when a connection was accepted, judging by its descriptor.

    The number of files that are open now says less: connections that are being refused count too, until they
    are closed.
    """
    return descriptor >= max_connections()


def is_nearly_exhausted(descriptor: int) -> bool:
    """Whether fewer than ABORT_RESERVE files are left, judging by the descriptor that was just opened."""
    return descriptor >= _limit() - ABORT_RESERVE


def _limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_FILES if soft == resource.RLIM_INFINITY else soft
