"""Libraries that few processes need are not loaded at the start: together they take half a second."""

import subprocess
import sys

HEAVY = {"autobahn", "fpdf", "picows", "PIL", "wasmtime"}
START = """
import sys
import django
django.setup()
import crowdgame.urls
print(*sys.modules)
"""


def test_process_starts_without_heavy_libraries() -> None:
    started = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True)
    assert "crowdgame.urls" in started.stdout.split()
    assert HEAVY.isdisjoint(started.stdout.split())
