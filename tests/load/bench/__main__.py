"""`python -m tests.load.bench`: compare the product with its references, and run whole load tests."""

import gc
import shutil
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from crowdgame.server.laptop.stack import SERVERS
from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from tests.load.bench.comparison import Say
from tests.load.bench.machine import allow_files, describe_machine
from tests.load.bench.report import show, write
from tests.load.bench.run import FULL, PARTS, SMALL, bench, check_regressions, record_baseline

FILES = 19_000


def main() -> None:
    options = _read_options()
    interrupt_on_signals()
    allow_files(8_000 if options.quick or options.record else FILES)
    gc.freeze()
    gc.set_threshold(50_000)
    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
    say = _progress(console)
    passed, home = True, Path(tempfile.mkdtemp(prefix="crowdgame-bench-"))
    say(f"data and logs are in {home} meanwhile, and stay if the run fails")
    if options.quick:
        passed = check_regressions(options.server, home, console, say)
    elif options.record:
        record_baseline(home, say)
    else:
        machine = describe_machine()
        results = bench(SMALL if options.small else FULL, options.server, options.part, home, say)
        show(results, console)
        if not options.small and (options.server, options.part) == (SERVERS, PARTS):
            write(results, machine)
    shutil.rmtree(home, ignore_errors=True)
    sys.exit(not passed)


def _read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.load.bench", description=__doc__)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--quick", action="store_true", help="ratios only; fails if one is a third worse")
    kind.add_argument("--record", action="store_true", help="record the ratios that --quick compares with")
    kind.add_argument("--small", action="store_true", help="everything, with few phones; not recorded")
    parser.add_argument("--server", nargs=1, choices=SERVERS, default=SERVERS, help="only this one")
    parser.add_argument("--part", nargs=1, choices=PARTS, default=PARTS, help="only this one")
    return parser.parse_args()


def _progress(console: Console) -> Say:
    began = time.monotonic()
    return lambda line: console.print(f"[dim]{time.monotonic() - began:4.0f} s  {line}[/dim]")


if __name__ == "__main__":
    main()
