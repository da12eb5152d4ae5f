"""Run a program that is killed when its parent process dies (Linux parent-death signal, PR_SET_PDEATHSIG).

`python die_with_parent.py <pid of the parent> <nice> <program> <arguments>` sets the signal to SIGKILL and
then execs the program. On other systems it sets no signal. It runs isolated and without site packages, so
it costs only milliseconds. A `preexec_fn` between fork and exec would not be safe in a process with threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(argv: list[str], nice: int = 0) -> list[str]:
    """Return a command that runs `argv` and kills it when the calling thread ends.

    `nice` lowers the program's CPU priority (1 to 19).
    Linux ties the signal to the thread that forks, not to its process.
    """
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(nice), *argv]


def main(starter: int, nice: int, argv: list[str]) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != starter:  # the parent died before prctl took effect
            sys.exit(1)
    os.nice(nice)
    try:
        os.execvp(argv[0], argv)
    except OSError as failure:
        sys.exit(f"{argv[0]}: {failure.strerror}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
