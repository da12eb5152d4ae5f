"""Run programs, and end everything that they leave running."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

import psutil

PR_SET_CHILD_SUBREAPER = 36
KILL_TIMEOUT_S = 5


class ProcessTree:
    """The descendants of this process.

    On Linux this process adopts the children of processes that end, so none of them gets out of reach.
    """

    def __init__(self) -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)

    def run(self, argv: Sequence[str], env: Mapping[str, str]) -> int:
        """Run a program to its end; return its exit status."""
        return subprocess.run(argv, env={**os.environ, **env}, check=False).returncode

    def kill(self) -> list[str]:
        """Kill all descendants; return the command lines of those that were still running."""
        running: dict[int, str] = {}
        while children := psutil.Process().children(recursive=True):
            for child in children:
                with suppress(psutil.NoSuchProcess):
                    if child.status() != psutil.STATUS_ZOMBIE:
                        running.setdefault(child.pid, " ".join(child.cmdline())[:100])
                        child.kill()
            psutil.wait_procs(children, KILL_TIMEOUT_S)
        return list(running.values())
