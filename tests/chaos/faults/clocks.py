"""Clock changes: of Valkey, which has the only authoritative clock, or of all other processes."""

from random import Random

from tests.chaos.faults import Fault, Inject, NotApplicable, Span, hold
from tests.chaos.target import Target

NOT_SETTABLE = "clocks cannot be set in this setup"
LASTS_S: Span = (3.0, 5.0)
STEP_S = 300


def set_valkey_clock(by_s: float) -> Inject:
    """Shift Valkey's clock by this many seconds."""

    def inject(target: Target, rng: Random) -> None:
        clock = target.box_clock
        if clock is None:
            raise NotApplicable(NOT_SETTABLE)
        clock.set(clock.off_s + by_s)

    return inject


def set_process_clocks(by_s: float) -> Inject:
    """Shift the clocks of gateways, worker and schedulers for a while."""

    def inject(target: Target, rng: Random) -> None:
        clocks = target.own_clocks
        if clocks is None:
            raise NotApplicable(NOT_SETTABLE)
        clocks.set(by_s)
        hold(LASTS_S, rng)
        clocks.set(0)

    return inject


FAULTS = (
    Fault("Valkey clock set 5 min ahead", set_valkey_clock(STEP_S)),
    Fault("Valkey clock set back 5 min", set_valkey_clock(-STEP_S)),
    Fault("process clocks 5 min ahead for a while", set_process_clocks(STEP_S)),
    Fault("process clocks 5 min behind for a while", set_process_clocks(-STEP_S)),
)
