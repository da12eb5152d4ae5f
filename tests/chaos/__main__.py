"""`python -m tests.chaos`: simulated phones in several events, and random faults drawn from a seed.

Each phone records what it sent and what was acknowledged. After each fault every turn is compared with these
records and counted again. The run fails if a ballot is lost or a turn is duplicated or wrong.
"""

import secrets
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

from rich.console import Console

from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from tests.chaos.campaign import Campaign, Size
from tests.chaos.faults import CLOCKS, DISK, Fault, catalog
from tests.chaos.faults.disk import small_disk
from tests.chaos.mutants import NAMES
from tests.chaos.result import Result, RunInfo, build_result, format_result, merge, write_table
from tests.chaos.target import TargetOptions, running_target
from tests.load.bench.machine import allow_files
from tests.machines.postgres import running_postgres
from tests.server import SERVERS

SPARE_FILES = 512
DISK_MB = 384
LEAST_TURNS, LEAST_S = 20, 120.0
SEPARATE = (DISK, CLOCKS)


def main() -> None:
    options = _read_options()
    interrupt_on_signals()
    allow_files(2 * options.phones + SPARE_FILES)
    console = Console(highlight=False)
    result = _play(options, console)
    for line in format_result(result):
        console.print(line, soft_wrap=True)
    if options.json:
        result.write(options.json)
    if options.write_table:
        write_table(result)
    sys.exit(not result.passed)


def _play(options: Namespace, console: Console) -> Result:
    """Run one campaign after another, since the clock and disk faults need their own setup."""
    run_info = RunInfo(
        options.seed, options.server, "PostgreSQL" if options.postgres else "SQLite", options.mutant
    )
    console.print(f"seed {options.seed}, {len(options.faults)} faults")
    results = [
        _play_campaign(options, kind, run_info, lambda line: console.print(line, soft_wrap=True))
        for kind in ("", *SEPARATE)
        if _select(options.faults, kind)
    ]
    return merge(results)


def _select(faults: list[Fault], kind: str) -> list[Fault]:
    """Return the faults of the family that needs its own setup, or all others for ""."""
    return [fault for fault in faults if kind == (fault.family if fault.family in SEPARATE else "")]


def _play_campaign(options: Namespace, kind: str, run_info: RunInfo, say: Callable[[str], None]) -> Result:
    began, faults = time.monotonic(), _select(options.faults, kind)
    share = len(faults) / len(options.faults)
    with ExitStack() as held:
        home = held.enter_context(_home(options.keep, kind))
        url = held.enter_context(running_postgres()).new_database() if options.postgres else ""
        disk = held.enter_context(small_disk(home / "disk", DISK_MB)) if kind == DISK else None
        target_options = TargetOptions(
            *(options.server, options.gateways, url, kind == CLOCKS, disk, options.mutant),
            large_turn=options.large_turn,
            shards=1 if kind == CLOCKS else options.shards,
        )
        target = held.enter_context(running_target(home, target_options))
        size = Size(
            options.events,
            options.phones,
            max(round(options.turns * share), LEAST_TURNS),
            max(options.minutes * 60 * share, LEAST_S),
            baseline_s=options.baseline if not kind else 0.0,
            window_s=options.window,
            together=options.together,
        )
        campaign = Campaign(target, size, faults, Random(options.seed), say)
        campaign.play()
        return build_result(campaign, run_info, (time.monotonic() - began) / 60)


@contextmanager
def _home(keep: Path | None, kind: str) -> Iterator[Path]:
    if keep:
        folder = keep / (kind or "all")
        folder.mkdir(parents=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="crowdgame-chaos-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def _faults(text: str) -> list[Fault]:
    known = catalog()
    names = text.split(",") if text else list(known)
    return [known[name.strip()] for name in names]


def _read_options() -> Namespace:
    parser = ArgumentParser(
        prog="python -m tests.chaos",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
        epilog="The faults:\n  " + "\n  ".join(catalog()),
    )
    parser.add_argument("--seed", type=int, help="of faults, timing and phones (default: random)")
    parser.add_argument("--turns", type=int, default=1_000, help="turns with a fault (default: %(default)s)")
    parser.add_argument("--phones", type=int, default=500, help="in total (default: %(default)s)")
    parser.add_argument("--events", type=int, default=10, help="concurrent (default: %(default)s)")
    parser.add_argument("--together", action="store_true", help="all events share a deadline at each fault")
    parser.add_argument(
        "--large-turn",
        type=int,
        default=0,
        metavar="BALLOTS",
        help="prepare turns with so many ballots before their deadline",
    )
    parser.add_argument("--shards", type=int, default=1, help="of the ballot box; several: on three nodes")
    parser.add_argument("--window", type=int, default=3, help="seconds to vote (default: %(default)s)")
    parser.add_argument(
        "--baseline", type=float, default=45.0, help="initial seconds without faults (%(default)g)"
    )
    parser.add_argument("--minutes", type=float, default=45.0, help="at most (default: %(default)g)")
    parser.add_argument("--faults", default="", metavar="NAME,NAME", help="only these")
    parser.add_argument("--server", choices=SERVERS, default=SERVERS[0], help="default: %(default)s")
    parser.add_argument("--gateways", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL instead of SQLite")
    parser.add_argument("--mutant", choices=NAMES, default="", help="remove this safeguard from the product")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep logs and database there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results there")
    parser.add_argument("--write-table", action="store_true", help="write docs/generated/faults.md")
    options = parser.parse_args()
    options.seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    try:
        options.faults = _faults(options.faults)
    except KeyError as unknown:
        parser.error(f"there is no fault {unknown}")
    return options


if __name__ == "__main__":
    main()
