"""The connections to Valkey are slow, stalled or reset."""

from hashlib import sha1
from pathlib import Path
from random import Random

import voting
from tests.chaos.faults import Fault, Inject, Missed, hold
from tests.chaos.proxy import Impairment
from tests.chaos.target import Target
from tests.deploy.processes import becomes_true

LUA = Path(voting.__file__).parent / "ballot_box" / "lua"


def impair_connections(impairment: Impairment, seconds: float) -> Inject:
    """Impair connections for this long. Those that dropped data are reset at the end."""

    def inject(target: Target, rng: Random) -> None:
        with target.proxy.impaired(impairment):
            hold((seconds, seconds), rng)

    return inject


def reset_connections(target: Target, rng: Random) -> None:
    for _ in range(3):
        target.proxy.reset_all()
        hold((0.2, 0.8), rng)


def half_close_connections(target: Target, rng: Random) -> None:
    target.proxy.half_close()


def losing_reply(script: str) -> Impairment:
    digest = sha1((LUA / f"{script}.lua").read_bytes()).hexdigest()  # noqa: S324  Redis's digest
    return Impairment(lost_reply=digest.encode())


def lose_reply(script: str) -> Inject:
    """A Lua script runs, but its reply is lost, so that the caller retries."""

    def inject(target: Target, rng: Random) -> None:
        proxy, before = target.proxy, target.proxy.lost_replies
        with proxy.impaired(losing_reply(script)):
            if not becomes_true(lambda: proxy.lost_replies > before, 10.0):
                raise Missed(f"no process called {script}")

    return inject


FAULTS = (
    Fault(
        "Valkey connections with 200 ms latency", impair_connections(Impairment(delay_s=0.1, jitter_s=0.1), 8)
    ),
    Fault("Valkey connections at 50 kB/s", impair_connections(Impairment(rate=50_000), 8)),
    Fault("Valkey connections without data for 5 s", impair_connections(Impairment(black_hole=True), 5)),
    Fault("Valkey connections reset after 20 kB", impair_connections(Impairment(reset_after=20_000), 8)),
    Fault("Valkey connections reset", reset_connections),
    Fault("Valkey connections half-closed", half_close_connections),
    Fault("reply to a cast lost", lose_reply("cast")),
    Fault("reply to a seal lost", lose_reply("seal")),
    Fault("reply to placing a turn lost", lose_reply("place")),
)
