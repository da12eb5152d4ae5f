"""Faults at each step of closing a turn: the closing process or another one dies or stalls."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from tests.chaos import points
from tests.chaos.faults import Fault, Missed, Span, last
from tests.chaos.faults.processes import Killed
from tests.chaos.target import Target
from tests.deploy.processes import comes_about

REACHED_WITHIN_S = 15.0
STALLS_S: Span = (0.3, 1.6)
MORE_S = 3


@contextmanager
def at_step(target: Target, step: str, effect: points.StepEffect, seconds: float = 0.0) -> Iterator[None]:
    """Arm the step and wait until a process reaches it. Raises Missed if none does."""
    points.arm(target.data, step, effect, seconds)
    try:
        if not comes_about(lambda: points.has_fired(target.data), REACHED_WITHIN_S, points.POLL_S):
            raise Missed(f"no process reached the step {step!r}")
        yield
    finally:
        points.disarm(target.data)


@dataclass(frozen=True)
class CloserDies:
    """The closing process dies: the pool process alone, or the whole worker."""

    step: str

    @property
    def name(self) -> str:
        return f"closer dies {self.step}"

    def inject(self, target: Target, rng: Random) -> None:
        effect: points.StepEffect = rng.choice(["die", "die whole"])
        with at_step(target, self.step, effect):
            target.pid("worker")


@dataclass(frozen=True)
class SchedulerDies:
    """The worker is paused; the scheduler closes the turn itself and dies at one of the steps."""

    name: str = "scheduler dies while it closes"

    def inject(self, target: Target, rng: Random) -> None:
        worker = target.pause("worker")
        try:
            with at_step(target, rng.choice(list(points.STEPS)), "die"):
                target.pid(target.schedulers[0])
        finally:
            target.go_on(worker)


@dataclass(frozen=True)
class CloserStalls:
    """The closer stalls longer than the scheduler waits, so that two processes close the turn."""

    name: str = "closer stands still at a step"

    def inject(self, target: Target, rng: Random) -> None:
        seconds = rng.uniform(*STALLS_S)
        with at_step(target, rng.choice(list(points.STEPS)), "stall", seconds):
            last((seconds, seconds), rng)


@dataclass(frozen=True)
class TimeIsAdded:
    """The organizer extends a turn that is sealed and about to be written: it must be counted again."""

    name: str = "turn extended while it is counted"

    def inject(self, target: Target, rng: Random) -> None:
        step = rng.choice(["after the seal", "after the decision", "before the transaction"])
        with at_step(target, step, "stall", STALLS_S[1]):
            events = [event.id for event in target.events]
            if not target.server.ask("extend_overdue", event_ids=events, seconds=MORE_S):
                raise Missed("no turn was still being counted")
            last((STALLS_S[1], STALLS_S[1]), rng)


@dataclass(frozen=True)
class OtherDies:
    """Another process dies while the closer is at one of the steps."""

    name: str
    part: Fault

    def inject(self, target: Target, rng: Random) -> None:
        with at_step(target, rng.choice(list(points.STEPS)), "hold"):
            self.part.inject(target, rng)
            points.release(target.data)


FAULTS: tuple[Fault, ...] = (
    *(CloserDies(step) for step in points.STEPS),
    SchedulerDies(),
    CloserStalls(),
    TimeIsAdded(),
    OtherDies("Valkey dies at a step", Killed("", "valkey")),
    OtherDies("gateway dies at a step", Killed("", "gateway")),
    OtherDies("scheduler dies at a step", Killed("", "scheduler")),
)
