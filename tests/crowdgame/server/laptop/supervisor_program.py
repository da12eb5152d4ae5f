"""A supervisor as a separate program: arguments `<folder> <name=stop order=python source> …`.

The children are Python programs; each finds the folder in `sys.argv[1]`, which also marks its process.
"""

import sys
import threading
from pathlib import Path

from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from crowdgame.server.laptop.supervisor import Child, Supervisor

SLOW_TO_END = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (time.sleep(1), sys.exit()))
time.sleep(3600)
"""
SLEEPER = "import time; time.sleep(3600)"
IGNORES_SIGTERM = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '{SLEEPER}', sys.argv[1]])"
NOTES_ITS_END = """
import pathlib, signal, sys, time
def note(*_):
    pathlib.Path(sys.argv[1], sys.argv[2]).write_text(str(time.time()))
    sys.exit()
signal.signal(signal.SIGTERM, note)
pathlib.Path(sys.argv[1], sys.argv[2] + '-ready').touch()
time.sleep(3600)
"""


def child(name: str, source: str, folder: Path, stop_order: int = 0) -> Child:
    return Child(name, [sys.executable, "-c", source, str(folder), name], stop_order=stop_order)


def main(folder: Path, described: list[str]) -> None:
    interrupt_on_signals()
    with Supervisor(folder / "logs") as supervisor:
        for description in described:
            name, order, source = description.split("=", 2)
            supervisor.start(child(name, source, folder, int(order)))
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print("ending", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
