import subprocess
import sys

from crowdgame.server.laptop.stack import MANAGE

HEAVY = {"autobahn", "confusable_homoglyphs", "fpdf", "picows", "PIL", "wasmtime"}
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


def test_command_collects_garbage_but_not_among_imported_objects() -> None:
    counts = "import gc; print(gc.isenabled(), gc.get_freeze_count(), len(gc.get_objects()))"
    argv = [*MANAGE, "shell", "--no-imports", "--command", counts]
    started = subprocess.run(argv, capture_output=True, text=True, check=True)
    is_collecting, frozen, others = started.stdout.split()
    assert is_collecting == "True"
    assert int(frozen) > 10 * int(others)
