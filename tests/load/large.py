"""What a turn with many ballots costs: `python -m tests.load.large PART BALLOTS`.

turn      how long prefetch, seal and live counts block Valkey
close     what a worker does after the seal, by step
record    verifying the record, with both verifiers
receipts  memory and CPU of the receipts for a fiftieth of the phones
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from multiprocessing import Process
from pathlib import Path
from random import Random
from typing import Any, TypeVar

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django
import msgspec

django.setup()

from django.conf import settings  # noqa: E402
from redis import Redis  # noqa: E402

from crowdgame.server.laptop.stack import Stack  # noqa: E402
from crowdgame.server.laptop.startup import start_ballot_box  # noqa: E402
from crowdgame.server.laptop.supervisor import Supervisor  # noqa: E402
from tests.settings import VALKEY_PORT  # noqa: E402
from voting.ballot_box.async_ballot_box import AsyncBallotBox  # noqa: E402
from voting.ballot_box.ballot_box import BallotBox  # noqa: E402
from voting.ballot_box.box_types import BoxedTurn  # noqa: E402
from voting.ballot_box.opened_ballots import OpenedBallots, open_list  # noqa: E402
from voting.counting.ballots import Ballot, pack_ballots  # noqa: E402
from voting.counting.commitments import draw_lot, hash_ballots, sort_ballots  # noqa: E402
from voting.counting.tally import SideBallots, TallyTerms, decide  # noqa: E402
from voting.terms import NoBallotRule, TieRule  # noqa: E402

T = TypeVar("T")
COLUMNS = range(1, 8)
BATCH = 20_000
PLAYED = Path("tests/voting/records/played_match.json")


def draw_ballots(count: int) -> list[Ballot]:
    rng = Random(count)
    return [
        Ballot(f"{n:016x}", "red", rng.choice(COLUMNS), 1, n, f"{rng.getrandbits(128):032x}")
        for n in range(1, count + 1)
    ]


def report(name: str, step: Callable[[], T]) -> T:
    began = time.process_time()
    result = step()
    took = time.process_time() - began
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(f"{name}: {took:.2f} s of CPU; at most {peak_mb:.0f} MB so far")
    return result


def measure_turn(ballots: int) -> None:
    with tempfile.TemporaryDirectory() as name, Supervisor(Path(name) / "logs") as supervisor:
        start_ballot_box(Stack(Path(name), secret_key="", port=0, valkey_port=VALKEY_PORT), supervisor)
        with Redis.from_url(settings.REDIS_URL) as redis:
            redis.config_set("appendfsync", "no")
            redis.config_set("slowlog-log-slower-than", 500)
            _measure_calls(redis, BallotBox(), ballots)


def _measure_calls(redis: Redis, box: BallotBox, ballots: int) -> None:
    def measure(name: str, call: Callable[[], T]) -> T:
        redis.slowlog_reset()
        result = report(name, call)
        longest = max((entry["duration"] for entry in redis.slowlog_get(1_000)), default=0)
        print(f"  longest block of Valkey: {longest / 1000:.0f} ms")
        return result

    async def count_live() -> None:
        await AsyncBallotBox().live_counts(1, 1, 7, 1)

    now = box.now()
    turn = BoxedTurn(1, 1, 1, 1, now - 1_000, now + 3_600_000)
    box.place(turn, create=True)
    for first in range(0, ballots, BATCH):
        rows = range(first, min(first + BATCH, ballots))
        held: dict[Any, Any] = {f"{n:016x}": f'"red",{n % 7 + 1},1,{n + 1},"{n:032x}"' for n in rows}
        redis.hset(turn.keys[1], mapping=held)
    redis.hset(turn.keys[0], mapping={"arrivals": ballots, "red": ballots})
    measure("live counts, counted anew", lambda: asyncio.run(count_live()))
    measure("live counts", lambda: asyncio.run(count_live()))
    prefetched = measure("prefetch", lambda: box.prefetch(turn))
    _revote(box, turn, ballots // 20)
    prefetched = measure("catching up with a twentieth", lambda: box.catch_up(turn, prefetched))
    _revote(box, turn, 1_000)
    over = replace(turn, version=2, closes_at=box.now())
    known = measure("seal after the prefetch", lambda: box.seal_all([over], prefetched))
    assert known == measure("seal without one", lambda: box.seal_all([over]))


def _revote(box: BallotBox, turn: BoxedTurn, voters: int) -> None:
    box.cast(turn, [Ballot(f"{n:016x}", "red", 1, 2_000_000 + voters, 0, f"{n:032x}") for n in range(voters)])


def measure_close(ballots: int) -> None:
    arrived = draw_ballots(ballots)
    leaves = report("hash the leaves", lambda: hash_ballots(1, arrived))
    cast = report("sort and root", lambda: sort_ballots(1, "red", arrived, leaves, commit_order=True))
    side = SideBallots("red", cast.ballots, None, cast.arrivals)
    terms = TallyTerms("plurality", TieRule.FIRST, NoBallotRule.RANDOM)
    report("decide", lambda: decide(side, COLUMNS, len(COLUMNS), terms, partial(draw_lot, "", "red")))
    report("pack", lambda: pack_ballots(cast.ballots))


def measure_record(ballots: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "record.json"
        writer = Process(target=_write_record, args=(path, ballots))  # its memory would count as theirs
        writer.start()
        writer.join()
        print(f"record: {path.stat().st_size / 1e6:.0f} MB")
        for command in (["docs/verify.py"], ["manage.py", "verify"]):
            process = subprocess.Popen([sys.executable, *command, str(path)])
            _, status, used = os.wait4(process.pid, 0)
            cpu_s, peak_mb = used.ru_utime + used.ru_stime, used.ru_maxrss / 1000
            print(f"{' '.join(command)}: {cpu_s:.1f} s of CPU, {peak_mb:.0f} MB; status {status}")


def _write_record(path: Path, ballots: int) -> None:
    """A played match, with this many ballots of red in its first turn, most of them for its pick."""
    record = json.loads(PLAYED.read_bytes())
    turn = record["counts"][0]
    red, rng = turn["red"], Random(ballots)
    columns = [*red["legal"], red["pick"]]
    drawn = draw_ballots(ballots)
    arrived = [msgspec.structs.replace(ballot, choice=rng.choice(columns)) for ballot in drawn]
    cast = sort_ballots(turn["turn"], "red", arrived, commit_order=True)
    red["ballots"] = [(ballot.choice, ballot.blind) for ballot in cast.ballots]
    red["counts"] = [sum(b.choice == column for b in arrived) for column in range(1, len(red["counts"]) + 1)]
    red["arrivals"], red["root"] = cast.arrivals, cast.commitment.root
    turn["seals"][0]["red"] = red["root"]
    path.write_text(json.dumps(record))


def measure_receipts(ballots: int) -> None:
    packed = pack_ballots(draw_ballots(ballots))
    print(f"record of the side: {len(packed) / 1e6:.0f} MB")
    voters = [f"{n:016x}" for n in range(1, ballots, 50)]

    def load() -> OpenedBallots:
        opened = OpenedBallots(1, {}, dict.fromkeys(voters, b""), {1: "red", 2: "yellow"}, is_whole=False)
        opened.lists["red"] = open_list(opened, "red", packed)
        return opened

    opened = report(f"load for {len(voters)} phones", load)
    report("their receipts", lambda: [opened.receipt(voter, 1) for voter in voters])
    del opened
    tracemalloc.start()
    opened = load()
    kept, peak = (size / 1e6 for size in tracemalloc.get_traced_memory())
    print(f"kept: {kept:.1f} MB for {len(opened.places)} phones; {peak:.0f} MB while loading")


PARTS = {"turn": measure_turn, "close": measure_close, "record": measure_record, "receipts": measure_receipts}

if __name__ == "__main__":
    PARTS[sys.argv[1]](int(sys.argv[2]))
