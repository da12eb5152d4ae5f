"""Clock changes: of Valkey, which has the only authoritative clock, or of all other processes."""

from dataclasses import dataclass
from random import Random

from tests.chaos.faults import Fault, NotApplicable, Span, hold
from tests.chaos.target import Target

NOT_SETTABLE = "clocks cannot be set in this setup"
LASTS_S: Span = (3.0, 5.0)


@dataclass(frozen=True)
class ValkeyClockSet:
    """Shift Valkey's clock by this many seconds."""

    name: str
    by_s: float

    def inject(self, target: Target, rng: Random) -> None:
        clock = target.server.box_clock
        if clock is None:
            raise NotApplicable(NOT_SETTABLE)
        clock.set(clock.off_s + self.by_s)


@dataclass(frozen=True)
class ProcessClocksSet:
    """Shift the clocks of gateways, worker and schedulers for a while."""

    name: str
    by_s: float

    def inject(self, target: Target, rng: Random) -> None:
        clocks = target.server.own_clocks
        if clocks is None:
            raise NotApplicable(NOT_SETTABLE)
        clocks.set(self.by_s)
        hold(LASTS_S, rng)
        clocks.set(0)


FAULTS: tuple[Fault, ...] = (
    ValkeyClockSet("Valkey clock set 5 min ahead", 300),
    ValkeyClockSet("Valkey clock set back 5 min", -300),
    ProcessClocksSet("process clocks 5 min ahead for a while", 300),
    ProcessClocksSet("process clocks 5 min behind for a while", -300),
)
