"""`python -m tests.chaos`: simulated phones in several events, and random faults drawn from a seed.

Each phone records what it sent and what was acknowledged. After each fault every turn is compared with these
records and counted again. The run fails if a ballot is lost or a turn is duplicated or wrong.
"""

import secrets
import shutil
import sys
import tempfile
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from contextlib import ExitStack
from pathlib import Path
from random import Random

from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from tests.chaos.campaign import Campaign, Size
from tests.chaos.faults import CLOCKS, DISK, Fault, catalog
from tests.chaos.faults.disk import small_disk
from tests.chaos.mutants import NAMES
from tests.chaos.result import Result
from tests.chaos.target import running_target
from tests.load.bench.machine import allow_files
from tests.machines.postgres import running_postgres
from tests.server import SERVERS

SPARE_FILES = 512
DISK_MB = 384
LEAST_TURNS, LEAST_S = 20, 120.0
SEPARATE = (DISK, CLOCKS)


def main() -> None:
    """Run one campaign after another, since the clock and disk faults need their own setup."""
    options = _read_options()
    interrupt_on_signals()
    allow_files(2 * options.phones + SPARE_FILES)
    database = "PostgreSQL" if options.postgres else "SQLite"
    setup = f"seed {options.seed}, {options.server}, {database}, mutant: {options.mutant or 'none'}, "
    setup += f"{options.phones} phones in {options.events} events"
    result = Result(setup)
    print(f"{setup}, {len(options.faults)} faults", flush=True)
    home = Path(tempfile.mkdtemp(prefix="crowdgame-chaos-"))
    for kind in ("", *SEPARATE):
        if faults := [one for one in options.faults if kind == one.family * (one.family in SEPARATE)]:
            _play_campaign(options, home / (kind or "all"), kind, faults, result)
    print("", *result.lines(), sep="\n")
    if options.write_table:
        result.write()
    if not result.passed:
        sys.exit(f"Logs and databases are in {home}")
    shutil.rmtree(home, ignore_errors=True)


def _play_campaign(options: Namespace, home: Path, kind: str, faults: list[Fault], result: Result) -> None:
    home.mkdir()
    share = len(faults) / len(options.faults)
    with ExitStack() as held:
        url = held.enter_context(running_postgres()).new_database() if options.postgres else ""
        disk = held.enter_context(small_disk(home / "disk", DISK_MB)) if kind == DISK else None
        setup = {"server": options.server, "gateways": options.gateways, "database_url": url}
        setup |= {"timed": kind == CLOCKS, "disk": disk, "shards": 1 if kind == CLOCKS else options.shards}
        setup |= {"mutant": options.mutant, "large_turn": options.large_turn}
        target = held.enter_context(running_target(home, **setup))
        size = Size(
            options.events,
            options.phones,
            max(round(options.turns * share), LEAST_TURNS),
            max(options.minutes * 60 * share, LEAST_S),
            baseline_s=0.0 if kind else options.minutes,  # a second for each minute
            together=options.together,
        )
        campaign = Campaign(target, size, faults, Random(options.seed))
        campaign.play()
        result.add(campaign)


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
    parser.add_argument("--large-turn", type=int, default=0, help="ballots of a turn that is prepared early")
    parser.add_argument("--shards", type=int, default=1, help="of the ballot box; several: on three nodes")
    parser.add_argument("--minutes", type=float, default=45.0, help="at most (default: %(default)g)")
    parser.add_argument("--faults", default="", metavar="NAME,NAME", help="only these")
    parser.add_argument("--server", choices=SERVERS, default=SERVERS[0], help="default: %(default)s")
    parser.add_argument("--gateways", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL instead of SQLite")
    parser.add_argument("--mutant", choices=NAMES, default="", help="remove this safeguard from the product")
    parser.add_argument("--write-table", action="store_true", help="write docs/generated/faults.md")
    options = parser.parse_args()
    options.seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    known = catalog()
    names = options.faults.split(",") if options.faults else list(known)
    if unknown := set(names) - set(known):
        parser.error(f"there is no fault {', '.join(unknown)}")
    options.faults = [known[name] for name in names]
    return options


if __name__ == "__main__":
    main()
