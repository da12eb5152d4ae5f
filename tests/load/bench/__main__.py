"""`python -m tests.load.bench`: compare the product with its references, and run whole load tests."""

import gc
import shutil
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from tests.load.bench.comparison import Say
from tests.load.bench.gate import check_regressions, record_baseline
from tests.load.bench.machine import allow_files, describe_machine
from tests.load.bench.report import show, write
from tests.load.bench.run import FULL, PARTS, SERVERS, SMALL, bench

FILES = 19_000
QUICK_FILES = 8_000
GC_THRESHOLD = 50_000
WIDE = 200


def main() -> None:
    options = _read_options()
    interrupt_on_signals()
    allow_files(QUICK_FILES if options.quick or options.record else FILES)
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    console = Console(width=None if sys.stdout.isatty() else WIDE, highlight=False)
    say = _progress(console)
    passed = True
    with _home(say) as home:
        if options.quick:
            passed = check_regressions(options.server or SERVERS, home, console, say)
        elif options.record:
            record_baseline(home, say)
        else:
            _run_whole(options, home, console, say)
    sys.exit(not passed)


def _run_whole(options: Namespace, home: Path, console: Console, say: Say) -> None:
    machine = describe_machine()
    extent = SMALL if options.small else FULL
    results = bench(extent, options.server or SERVERS, options.part or PARTS, home, say)
    show(results, console)
    if not (options.small or options.dry or options.server or options.part):
        write(results, machine)


def _read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.load.bench", description=__doc__)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--quick", action="store_true", help="ratios only; fails if one regressed by over a third"
    )
    kind.add_argument("--record", action="store_true", help="record the ratios that --quick compares with")
    kind.add_argument("--small", action="store_true", help="everything, with few phones; not recorded")
    parser.add_argument("--dry", action="store_true", help="leave docs/generated/benchmarks.md alone")
    parser.add_argument("--server", action="append", choices=SERVERS, help="only this one")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this one")
    return parser.parse_args()


def _progress(console: Console) -> Say:
    began = time.monotonic()
    return lambda line: console.print(f"[dim]{time.monotonic() - began:4.0f} s  {line}[/dim]")


@contextmanager
def _home(say: Say) -> Iterator[Path]:
    """A folder for data and logs, which stays if the run fails."""
    home = Path(tempfile.mkdtemp(prefix="crowdgame-bench-"))
    say(f"data and logs are in {home} meanwhile")
    yield home
    shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
