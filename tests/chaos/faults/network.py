"""The connections to Valkey are slow, silent or cut."""

from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from random import Random

import voting
from tests.chaos.faults import Fault, Missed, Span, last
from tests.chaos.proxy import Impairment
from tests.chaos.target import Target
from tests.deploy.processes import comes_about

LUA = Path(voting.__file__).parent / "ballot_box" / "lua"
LOST_WITHIN_S = 10.0
BETWEEN_CUTS_S: Span = (0.2, 0.8)


@dataclass(frozen=True)
class ImpairedLine:
    """Impair connections for this long; those that dropped data are reset at the end."""

    name: str
    impairment: Impairment
    seconds: float

    def inject(self, target: Target, rng: Random) -> None:
        with target.proxy.impaired(self.impairment):
            last((self.seconds, self.seconds), rng)


@dataclass(frozen=True)
class AllCut:
    """Every connection is reset, several times in a row."""

    name: str = "every line to Valkey reset"
    times: int = 3

    def inject(self, target: Target, rng: Random) -> None:
        for _ in range(self.times):
            target.proxy.cut()
            last(BETWEEN_CUTS_S, rng)


@dataclass(frozen=True)
class HalfClosed:
    """Valkey's side half-closes every connection and still receives data."""

    name: str = "every line to Valkey half closed"

    def inject(self, target: Target, rng: Random) -> None:
        target.proxy.half_close()


@dataclass(frozen=True)
class AnswerLost:
    """A Lua script runs, but its answer is lost, so the caller retries."""

    name: str
    script: str

    def inject(self, target: Target, rng: Random) -> None:
        proxy, before = target.proxy, target.proxy.losses
        digest = sha1((LUA / f"{self.script}.lua").read_bytes()).hexdigest()  # noqa: S324  Redis's digest
        with proxy.impaired(Impairment(lost_answer=digest.encode())):
            if not comes_about(lambda: proxy.losses > before, LOST_WITHIN_S):
                raise Missed(f"no process called {self.script}")


FAULTS: tuple[Fault, ...] = (
    ImpairedLine("Valkey 200 ms away", Impairment(delay_s=0.1, jitter_s=0.1), 8),
    ImpairedLine("the line to Valkey narrow", Impairment(rate=50_000), 8),
    ImpairedLine("the line to Valkey silent for 5 s", Impairment(black_hole=True), 5),
    ImpairedLine("every line to Valkey reset after 20 kB", Impairment(cut_after=20_000), 8),
    AllCut(),
    HalfClosed(),
    AnswerLost("the answer to a cast lost", "cast"),
    AnswerLost("the answer to a seal lost", "seal"),
    AnswerLost("the answer to an opening lost", "place"),
)
