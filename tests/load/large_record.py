"""`python -m tests.load.large_record 1000000`: the cost of verifying so many ballots of a turn."""

import json
import os
import random
import subprocess
import sys
import tempfile
from multiprocessing import Process
from pathlib import Path
from typing import Any

from voting.counting.ballots import Ballot
from voting.counting.commitments import sort_ballots

PLAYED = Path("tests/voting/records/played_match.json")
VERIFIERS = {
    "docs/verify.py": ["docs/verify.py"],
    "crowdgame verify": ["manage.py", "verify"],
}


def main(ballots: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "record.json"
        writer = Process(target=_write, args=(path, ballots))  # its memory would count as the verifiers'
        writer.start()
        writer.join()
        print(f"record: {path.stat().st_size / 1e6:.0f} MB")
        for verifier, command in VERIFIERS.items():
            process = subprocess.Popen([sys.executable, *command, str(path)])
            _, status, used = os.wait4(process.pid, 0)
            cpu_s, peak_mb = used.ru_utime + used.ru_stime, used.ru_maxrss / 1000
            print(f"{verifier}: {cpu_s:.1f} s of CPU, {peak_mb:.0f} MB; status {status}")


def _write(path: Path, ballots: int) -> None:
    record = json.loads(PLAYED.read_bytes())
    _fill(record["counts"][0], ballots)
    path.write_text(json.dumps(record))


def _fill(turn: dict[str, Any], ballots: int) -> None:
    """Replace red's ballots: so many, most of them for its pick."""
    rng, red = random.Random(ballots), turn["red"]
    columns = [*red["legal"], red["pick"]]
    arrived = [
        Ballot(str(n), "red", rng.choice(columns), 1, n, f"{rng.getrandbits(128):032x}")
        for n in range(ballots)
    ]
    cast = sort_ballots(turn["turn"], "red", arrived, commit_order=True)
    red["ballots"] = [(ballot.choice, ballot.blind) for ballot in cast.ballots]
    red["counts"] = [sum(b.choice == column for b in arrived) for column in range(1, len(red["counts"]) + 1)]
    red["arrivals"], red["root"] = cast.arrivals, cast.commitment.root
    turn["seals"][0]["red"] = red["root"]


if __name__ == "__main__":
    main(int(sys.argv[1]))
