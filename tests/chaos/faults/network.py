"""The connections to Valkey are slow, stalled or reset."""

from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from random import Random

import voting
from tests.chaos.faults import Fault, Missed, Span, hold
from tests.chaos.proxy import Impairment
from tests.chaos.target import Target
from tests.deploy.processes import becomes_true

LUA = Path(voting.__file__).parent / "ballot_box" / "lua"
LOST_WITHIN_S = 10.0
BETWEEN_RESETS_S: Span = (0.2, 0.8)


@dataclass(frozen=True)
class ImpairedConnections:
    """Impair connections for this long. Those that dropped data are reset at the end."""

    name: str
    impairment: Impairment
    seconds: float

    def inject(self, target: Target, rng: Random) -> None:
        with target.proxy.impaired(self.impairment):
            hold((self.seconds, self.seconds), rng)


@dataclass(frozen=True)
class ConnectionsReset:
    """Every connection is reset, several times in a row."""

    name: str = "Valkey connections reset"
    times: int = 3

    def inject(self, target: Target, rng: Random) -> None:
        for _ in range(self.times):
            target.proxy.reset_all()
            hold(BETWEEN_RESETS_S, rng)


@dataclass(frozen=True)
class ConnectionsHalfClosed:
    """Valkey's side half-closes every connection and still receives data."""

    name: str = "Valkey connections half-closed"

    def inject(self, target: Target, rng: Random) -> None:
        target.proxy.half_close()


@dataclass(frozen=True)
class ReplyLost:
    """A Lua script runs, but its reply is lost, so that the caller retries."""

    name: str
    script: str

    def inject(self, target: Target, rng: Random) -> None:
        proxy, before = target.proxy, target.proxy.lost_replies
        digest = sha1((LUA / f"{self.script}.lua").read_bytes()).hexdigest()  # noqa: S324  Redis's digest
        with proxy.impaired(Impairment(lost_reply=digest.encode())):
            if not becomes_true(lambda: proxy.lost_replies > before, LOST_WITHIN_S):
                raise Missed(f"no process called {self.script}")


FAULTS: tuple[Fault, ...] = (
    ImpairedConnections("Valkey connections with 200 ms latency", Impairment(delay_s=0.1, jitter_s=0.1), 8),
    ImpairedConnections("Valkey connections at 50 kB/s", Impairment(rate=50_000), 8),
    ImpairedConnections("Valkey connections without data for 5 s", Impairment(black_hole=True), 5),
    ImpairedConnections("Valkey connections reset after 20 kB", Impairment(reset_after=20_000), 8),
    ConnectionsReset(),
    ConnectionsHalfClosed(),
    ReplyLost("reply to a cast lost", "cast"),
    ReplyLost("reply to a seal lost", "seal"),
    ReplyLost("reply to placing a turn lost", "place"),
)
