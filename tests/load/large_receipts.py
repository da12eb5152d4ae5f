"""`python -m tests.load.large_receipts 1000000 20000`: a large turn's receipts for own phones."""

import os
import sys
import time
import tracemalloc

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from voting.ballot_box.opened_ballots import OpenedBallots, open_list  # noqa: E402
from voting.counting.ballots import Ballot, pack_ballots  # noqa: E402


def main(ballots: int, own: int) -> None:
    blinds = (f"{n * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128:032x}" for n in range(ballots))
    packed = pack_ballots(
        Ballot(f"{n:016x}", "red", n % 7 + 1, 1, n + 1, blind) for n, blind in enumerate(blinds)
    )
    print(f"record of the side: {len(packed) / 1e6:.0f} MB")
    voters = [f"{n:016x}" for n in range(0, ballots, ballots // own)]
    began = time.process_time()
    opened = _open(voters, packed)
    print(f"loading for {own} phones: {time.process_time() - began:.2f} s of CPU")
    began = time.process_time()
    for voter in voters:
        opened.receipt(voter, 1)
    print(f"a receipt: {(time.process_time() - began) / len(voters) * 1e6:.0f} µs")
    del opened
    tracemalloc.start()
    opened = _open(voters, packed)
    kept, peak = (size / 1e6 for size in tracemalloc.get_traced_memory())
    print(f"kept: {kept:.1f} MB for {len(opened.places)} phones; {peak:.0f} MB while loading")


def _open(voters: list[str], packed: bytes) -> OpenedBallots:
    opened = OpenedBallots(1, {}, dict.fromkeys(voters, b""), {1: "red", 2: "yellow"}, is_whole=False)
    opened.lists["red"] = open_list(opened, "red", packed)
    return opened


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
