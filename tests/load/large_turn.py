"""`python -m tests.load.large_turn 1000000`: how long a large turn's prefetch and seal block Valkey."""

import asyncio
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

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

T = TypeVar("T")
BATCH = 20_000
SLOWER_THAN_US = 500


def main(ballots: int) -> None:
    with tempfile.TemporaryDirectory() as name, Supervisor(Path(name) / "logs") as supervisor:
        start_ballot_box(Stack(Path(name), secret_key="", port=0, valkey_port=VALKEY_PORT), supervisor)
        with Redis.from_url(settings.REDIS_URL) as redis:
            redis.config_set("appendfsync", "no")
            redis.config_set("slowlog-log-slower-than", SLOWER_THAN_US)
            _measure(redis, BallotBox(), ballots)


def _measure(redis: Redis, box: BallotBox, ballots: int) -> None:
    now = box.now()
    turn = BoxedTurn(1, 1, 1, 1, now - 1_000, now + 3_600_000)
    box.place(turn, create=True)
    for first in range(0, ballots, BATCH):
        rows = range(first, min(first + BATCH, ballots))
        held: dict[Any, Any] = {f"{n:016x}": f'"red",{n % 7 + 1},1,{n + 1},"{n:032x}"' for n in rows}
        redis.hset(turn.keys[1], mapping=held)
    redis.hset(turn.keys[0], mapping={"arrivals": ballots, "red": ballots})
    _report(redis, "live counts, counted anew", lambda: asyncio.run(_live_counts()))
    _report(redis, "live counts", lambda: asyncio.run(_live_counts()))
    prefetched = _report(redis, "prefetch", lambda: box.prefetch(turn))
    over = replace(turn, version=2, closes_at=box.now())
    known = _report(redis, "seal after the prefetch", lambda: box.seal_all([over], prefetched))
    assert known == _report(redis, "seal without one", lambda: box.seal_all([over]))


async def _live_counts() -> None:
    await AsyncBallotBox().live_counts(1, 1, 7, 1)


def _report(redis: Redis, name: str, call: Callable[[], T]) -> T:
    redis.slowlog_reset()
    began = time.process_time()
    result = call()
    took = time.process_time() - began
    longest = max((entry["duration"] for entry in redis.slowlog_get(1_000)), default=0)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    blocked = longest / 1000
    print(f"{name}: {took:.2f} s of CPU; at most {peak_mb:.0f} MB; longest block of Valkey {blocked:.0f} ms")
    return result


if __name__ == "__main__":
    main(int(sys.argv[1]))
