"""Clock changes: of Valkey, which has the only authoritative clock, or of all other processes."""

from random import Random

from tests.chaos.faults import Fault, Inject, NotApplicable, hold
from tests.chaos.target import Clocks, Target

STEP_S = 300


def set_valkey_clock(by_s: float) -> Inject:
    return lambda target, rng: _shift(target.box_clock, by_s)


def set_process_clocks(by_s: float) -> Inject:
    """Shift the clocks of gateways, worker and schedulers for a while."""

    def inject(target: Target, rng: Random) -> None:
        _shift(target.own_clocks, by_s)
        hold((3.0, 5.0), rng)
        _shift(target.own_clocks, -by_s)

    return inject


def _shift(clocks: Clocks | None, by_s: float) -> None:
    if clocks is None:
        raise NotApplicable("clocks cannot be set in this setup")
    clocks.shift(by_s)


FAULTS = (
    Fault("Valkey clock set 5 min ahead", set_valkey_clock(STEP_S)),
    Fault("Valkey clock set back 5 min", set_valkey_clock(-STEP_S)),
    Fault("process clocks 5 min ahead for a while", set_process_clocks(STEP_S)),
    Fault("process clocks 5 min behind for a while", set_process_clocks(-STEP_S)),
)
