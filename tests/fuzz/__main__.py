"""`python -m tests.fuzz --frames 1000000 --server uvicorn`: fuzz a real gateway and report the outcome."""

import argparse
import secrets
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from crowdgame.server.laptop.stack import SERVERS
from tests.fuzz.run import MAX_GROWTH_MIB, Outcome, attack
from tests.server import running_server


def faults(outcome: Outcome) -> list[str]:
    found = [f"the log reports an error: {line}" for line in outcome.log_errors[:5]]
    found += [f"the event's {name} changed" for name in outcome.changed]
    found += [f"a ballot of {voter}, who has no seat" for voter in outcome.unseated_voters[:5]]
    honest = outcome.honest
    if honest.counted < honest.cast:
        found.append(f"the honest phone was answered {honest.counted} times for {honest.cast} ballots")
    if outcome.growth_mib > MAX_GROWTH_MIB:
        found.append(
            f"the gateway grew by {outcome.growth_mib:.1f} MiB in the last of "
            f"{len(outcome.memory_mib)} attacks"
        )
    return found


def format_outcome(outcome: Outcome) -> str:
    attack, honest = outcome.attack, outcome.honest
    ends = ", ".join(f"{how} {times:,}" for how, times in attack.ended.most_common())
    sizes = ", ".join(f"{size:.1f}" for size in outcome.memory_mib)
    return (
        f"{attack.sent:,} frames on {attack.sockets:,} sockets: {ends}\n"
        f"the honest phone: {honest.counted} of {honest.cast} ballots counted\n"
        f"gateway after each attack, MiB: {sizes}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--server", choices=SERVERS, default=SERVERS[0])
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--keep", type=Path, help="a folder in which to keep data and logs")
    options = parser.parse_args()
    print(f"{options.server}, seed {options.seed}", flush=True)
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(TemporaryDirectory(prefix="crowdgame-fuzz-")))
        folder.mkdir(parents=True, exist_ok=True)
        outcome = attack(
            stack.enter_context(running_server(folder, options.server)), options.frames, options.seed
        )
    print(format_outcome(outcome))
    found = faults(outcome)
    print("\n".join(f"✗ {fault}" for fault in found) or "✓ nothing but valid ballots changed anything")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
