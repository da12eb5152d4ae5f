"""Start a program that ends when the process which started it ends, however that came about.

`python leash.py <pid of the starter> <program> <arguments>` asks Linux to kill this process together with
its parent, then becomes the program. Elsewhere it only becomes the program. It runs isolated and without
site packages, so that it costs some milliseconds; a hook between fork and exec would not be safe in a
process with threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(argv: list[str]) -> list[str]:
    """The command that runs `argv` on a leash held by the calling thread."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *argv]


def main(starter: int, argv: list[str]) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != starter:  # it ended before the leash was on
            sys.exit(1)
    try:
        os.execvp(argv[0], argv)
    except OSError as failure:
        sys.exit(f"{argv[0]}: {failure.strerror}")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
