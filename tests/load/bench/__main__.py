"""`python -m tests.load.bench`: see how the product stands beside its measures, in minutes."""

import asyncio
import gc
import resource
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from tests.load.bench.machine import about
from tests.load.bench.report import append, as_json, show
from tests.load.bench.run import WARMED_BY, Size, bench

FILES_A_PHONE = 3
SPARE_FILES = 256
MOST_PHONES = 10_000
GC_THRESHOLD = 50_000


def main() -> None:
    options = _read_options()
    console = Console()
    size = _size(options)
    _allow_sockets(size.phones)
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    machine = about()
    with tempfile.TemporaryDirectory(prefix="crowdgame-bench-") as home:
        found = asyncio.run(bench(size, Path(home), lambda line: console.print(f"[dim]{line}[/dim]")))
    show(found, console)
    if options.json:
        options.json.write_bytes(as_json(found, machine))
    if not options.quick:
        append(found, machine)


def _read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.load.bench", description=__doc__)
    parser.add_argument("--phones", type=int, default=2_000, help="sockets a server (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each round (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="a minute's look that is not written down")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    options = parser.parse_args()
    if not 2 * WARMED_BY <= options.phones <= MOST_PHONES or not 0 < options.seconds <= 60:
        parser.error(f"{2 * WARMED_BY} to {MOST_PHONES} phones and at most 60 seconds, please")
    return options


def _size(options: Namespace) -> Size:
    if options.quick:
        return Size(min(options.phones, 800), min(options.seconds, 1.5), rounds=2, fanouts=3, turns=2)
    return Size(options.phones, options.seconds, rounds=6, fanouts=6, turns=4)


def _allow_sockets(phones: int) -> None:
    """Each line is an open file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = FILES_A_PHONE * phones + SPARE_FILES
    if hard != resource.RLIM_INFINITY and needed > hard:
        raise SystemExit(f"{phones} phones need {needed} open files, the limit here is {hard}")
    if soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


if __name__ == "__main__":
    main()
