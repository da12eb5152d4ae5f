"""Clock changes: of Valkey, which has the only authoritative clock, or of all other processes."""

from dataclasses import dataclass
from random import Random

from tests.chaos.faults import Fault, NotHere, Span, last
from tests.chaos.target import Target

NOT_TIMED = "clocks cannot be set in this setup"
STAYS_S: Span = (3.0, 5.0)


@dataclass(frozen=True)
class BoxClockSet:
    """Shift Valkey's clock by this many seconds."""

    name: str
    by_s: float

    def inject(self, target: Target, rng: Random) -> None:
        clock = target.server.box_clock
        if clock is None:
            raise NotHere(NOT_TIMED)
        clock.set(clock.off_s + self.by_s)


@dataclass(frozen=True)
class ProcessClocksSet:
    """Shift the clocks of gateways, worker and schedulers for a while."""

    name: str
    by_s: float

    def inject(self, target: Target, rng: Random) -> None:
        clocks = target.server.own_clocks
        if clocks is None:
            raise NotHere(NOT_TIMED)
        clocks.set(self.by_s)
        last(STAYS_S, rng)
        clocks.set(0)


FAULTS: tuple[Fault, ...] = (
    BoxClockSet("the box's clock set 5 min ahead", 300),
    BoxClockSet("the box's clock set back 5 min", -300),
    ProcessClocksSet("the server's clocks 5 min ahead for a while", 300),
    ProcessClocksSet("the server's clocks back 5 min for a while", -300),
)
